--TEST--
log: random kills while others log lose nothing that a spool had accepted and tear nothing (LG-10)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$file = "$folder/app.log";
mt_srand(7);
$steady = child(function () use ($file): void {
    $log = new Rustio\BatchLogger($file, batchRecords: 7);
    for ($i = 0; $i < 3000; $i++) {
        $log->append("steady $i " . str_repeat('s', $i % 300) . ' .');
        usleep(100);
    }
    $log->close();
});
$accepted = [];
for ($round = 0; $round < 100; $round++) {
    [$read, $write] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $victim = child(function () use ($file, $round, $write): void {
        $log = new Rustio\BatchLogger($file, batchRecords: 50, spool: true);
        for ($i = 0; ; $i++) {
            $log->append("v$round $i " . str_repeat('v', $i * 37 % 2000) . ' .');
            fwrite($write, pack('V', $i + 1));
        }
    });
    fclose($write);
    usleep(mt_rand(500, 8000));
    posix_kill($victim, SIGKILL);
    pcntl_waitpid($victim, $status);
    $said = stream_get_contents($read);
    $accepted[$round] = strlen($said) < 4 ? 0 : unpack('V', substr($said, intdiv(strlen($said), 4) * 4 - 4, 4))[1];
}
pcntl_waitpid($steady, $status);
sleep(1); // until locks are looked at again
$last = new Rustio\BatchLogger($file);
$last->flush();
$last->close();
$next = [];
$bad = 0;
foreach (new Rustio\LineIterator($file) as $line) {
    if (!preg_match('/^(steady|v\d+) (\d+) [sv]* \.$/', $line, $m)) {
        echo 'torn: ', substr($line, 0, 200), "\n";
    } elseif (($next[$m[1]] ??= 0) !== (int) $m[2]) {
        $bad++;
    } else {
        $next[$m[1]]++;
    }
}
$lost = array_filter($accepted, fn($n, $round) => ($next["v$round"] ?? 0) < $n, ARRAY_FILTER_USE_BOTH);
echo "$bad out of order, ", count($lost), " lost, $next[steady] steady\n";
?>
--EXPECT--
0 out of order, 0 lost, 3000 steady
