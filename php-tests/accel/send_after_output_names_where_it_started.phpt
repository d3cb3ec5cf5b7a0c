--TEST--
accel: send() after output is an exception that names where the output started, and sends nothing (AX-20)
--EXTENSIONS--
rustio
--FILE--
<?php
echo "first\n"; // line 2
foreach (Rustio\SendfileBackend::cases() as $backend) {
    try {
        (new Rustio\AccelRedirect(__DIR__, backend: $backend))->send(basename(__FILE__));
    } catch (Rustio\RustioException $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
?>
--EXPECTF--
first
Rustio\RustioException: The file can't be sent: headers already sent (output started at %ssend_after_output_names_where_it_started.php:2)
Rustio\RustioException: The file can't be sent: headers already sent (output started at %ssend_after_output_names_where_it_started.php:2)
Rustio\RustioException: The file can't be sent: headers already sent (output started at %ssend_after_output_names_where_it_started.php:2)
