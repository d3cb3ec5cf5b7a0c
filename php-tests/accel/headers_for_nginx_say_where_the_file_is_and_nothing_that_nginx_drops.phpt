--TEST--
accel: headers for nginx say where the file is, encoded once, and nothing that nginx would drop (AX-02, AX-04, AX-18, AX-19, AX-44, AX-45)
--EXTENSIONS--
rustio
--FILE--
<?php
use Rustio\{AccelRedirect, Disposition, SendfileBackend};

$root = sys_get_temp_dir() . '/rustio-' . getmypid();
mkdir("$root/d", recursive: true);
foreach (['a b.txt', 'a%20b.txt', "d/T\xc3\xa4st.pdf", "line\nend", "\xff?#"] as $name) {
    touch("$root/$name");
}
$accel = new AccelRedirect("$root/", 'files', SendfileBackend::Nginx);
foreach (['a b.txt', 'a%20b.txt', "d/../d/T\xc3\xa4st.pdf", "line\nend", "\xff?#"] as $name) {
    foreach ($accel->headers($name) as $header => $value) {
        echo "$header: $value\n";
    }
}
print_r($accel->headers(file: 'a b.txt', name: "R\"\r\n.pdf", disposition: Disposition::Inline, type: 'application/pdf',
    limitRate: 200, buffering: true, expires: 0, charset: 'utf-8'));
// Options are PHP's own types: "10" is a number, "10k" is none.
echo $accel->headers('a b.txt', limitRate: '10')['X-Accel-Limit-Rate'], "\n";
try {
    $accel->headers('a b.txt', limitRate: '10k');
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
foreach (['a b.txt', 'a%20b.txt', "d/T\xc3\xa4st.pdf", "line\nend", "\xff?#"] as $name) {
    unlink("$root/$name");
}
rmdir("$root/d");
rmdir($root);
?>
--EXPECT--
X-Accel-Redirect: /files/a%20b.txt
Content-Type: text/plain
Content-Disposition: attachment; filename="a b.txt"
X-Accel-Redirect: /files/a%2520b.txt
Content-Type: text/plain
Content-Disposition: attachment; filename="a_20b.txt"; filename*=UTF-8''a%2520b.txt
X-Accel-Redirect: /files/d/T%C3%A4st.pdf
Content-Type: application/pdf
Content-Disposition: attachment; filename="T_st.pdf"; filename*=UTF-8''T%C3%A4st.pdf
X-Accel-Redirect: /files/line%0Aend
Content-Type: application/octet-stream
Content-Disposition: attachment; filename="lineend"
X-Accel-Redirect: /files/%FF%3F%23
Content-Type: application/octet-stream
Content-Disposition: attachment; filename="_?#"
Array
(
    [X-Accel-Redirect] => /files/a%20b.txt
    [Content-Type] => application/pdf
    [Content-Disposition] => inline; filename="R_.pdf"; filename*=UTF-8''R%22.pdf
    [X-Accel-Limit-Rate] => 200
    [X-Accel-Buffering] => yes
    [X-Accel-Expires] => 0
    [X-Accel-Charset] => utf-8
)
10
Rustio\AccelRedirect::headers(): Argument #5 ($limitRate) must be of type ?int, string given
