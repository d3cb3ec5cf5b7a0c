<?php

// The same jobs by ext/shmop + ext/sysvsem and by rustio. A job prints what it sees; both must print the same.

/** Counters as people write them today. */
final class ShmopCounters
{
    private Shmop $shm;
    private SysvSemaphore $sem;

    public function __construct(int $key, private int $slots)
    {
        $this->sem = sem_get($key);
        $this->shm = shmop_open($key, 'c', 0600, 8 * $slots);
    }

    private function locked(callable $work): mixed
    {
        sem_acquire($this->sem);
        try {
            return $work();
        } finally {
            sem_release($this->sem);
        }
    }

    public function get(int $i): int
    {
        return unpack('q', shmop_read($this->shm, 8 * $i, 8))[1];
    }

    private function put(int $i, int $value): void
    {
        shmop_write($this->shm, pack('q', $value), 8 * $i);
    }

    public function add(int $i, int $delta = 1): int
    {
        return $this->locked(function () use ($i, $delta) {
            $this->put($i, $sum = $this->get($i) + $delta);
            return $sum;
        });
    }

    public function set(int $i, int $value): int
    {
        return $this->locked(function () use ($i, $value) {
            $before = $this->get($i);
            $this->put($i, $value);
            return $before;
        });
    }

    public function addMany(array $deltas): void
    {
        $this->locked(function () use ($deltas) {
            foreach ($deltas as $i => $delta) {
                $this->put($i, $this->get($i) + $delta);
            }
        });
    }

    public function drain(): array
    {
        return $this->locked(function () {
            $all = array_filter(unpack("q*", shmop_read($this->shm, 0, 8 * $this->slots)));
            shmop_write($this->shm, str_repeat("\0", 8 * $this->slots), 0);
            $result = [];
            foreach ($all as $i => $value) {
                $result[$i - 1] = $value;
            }
            return $result;
        });
    }

    public function count(): int
    {
        return $this->slots;
    }

    public function destroy(): void
    {
        shmop_delete($this->shm);
        sem_remove($this->sem);
    }
}

/** @return list<class-string> by turns, under keys of their own */
function both(): array
{
    return [ShmopCounters::class, Rustio\SharedCounter::class];
}

/** Runs a job with both and says whether they printed the same; then what they printed. */
function compare(callable $job): void
{
    $outputs = [];
    foreach (both() as $class) {
        ob_start();
        $counters = new $class(own_key(), 16);
        $job($counters, $class);
        $counters->destroy();
        $outputs[] = ob_get_clean();
    }
    echo $outputs[0] === $outputs[1] ? "the same\n" : "different: {$outputs[0]} --- {$outputs[1]}\n", $outputs[0];
}
