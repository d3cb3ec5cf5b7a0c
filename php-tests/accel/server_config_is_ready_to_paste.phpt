--TEST--
accel: serverConfig() gives the text that fits the object, quoted, or says why it can't (AX-16, AX-18)
--EXTENSIONS--
rustio
--FILE--
<?php
use Rustio\{AccelRedirect, RustioException, SendfileBackend};

$root = sys_get_temp_dir() . '/rustio-' . getmypid();
mkdir("$root/a \"b\\c", recursive: true);
mkdir("$root/\$x");
$show = static function (string $name, mixed ...$arguments) use ($root): void {
    try {
        echo str_replace($root, '', (new AccelRedirect("$root/$name", ...$arguments))->serverConfig()), "---\n";
    } catch (RustioException $e) {
        echo str_replace($root, '', $e->getMessage()), "\n";
    }
};
$show('a "b\\c', 'my files', SendfileBackend::Nginx);
$show('a "b\\c', backend: SendfileBackend::XSendfile);
$show('a "b\\c', backend: SendfileBackend::XSendfile, server: 'lighttpd');
$show('a "b\\c', backend: SendfileBackend::Php);
$show('$x');
rmdir("$root/a \"b\\c");
rmdir("$root/\$x");
rmdir($root);
?>
--EXPECT--
# In the server block. Only X-Accel-Redirect reaches this location.
location ^~ "/my files/" {
    internal;
    alias "/a \"b\\c/";
    disable_symlinks on "from=/a \"b\\c/";
    # nginx drops these from PHP's answer.
    add_header X-Content-Type-Options nosniff always;
    # For files that others upload and browsers show:
    # add_header Content-Security-Policy "sandbox; default-src 'none'" always;
}
---
# In the server, virtual host or directory; needs mod_xsendfile.
XSendFile On
XSendFilePath "/a \"b\\c"
# Version 1.0 would decode paths, 0.12 does not.
<IfDirective XSendFileUnescape>
    XSendFileUnescape Off
</IfDirective>

# lighttpd instead:
# In the host of fastcgi.server that runs PHP.
# "x-sendfile" => "enable",
# "x-sendfile-docroot" => ( "/a \"b\c/" ),
---
# In the host of fastcgi.server that runs PHP.
"x-sendfile" => "enable",
"x-sendfile-docroot" => ( "/a \"b\c/" ),
---
; php.ini: nothing to set up in the web server, PHP sends the bytes itself
rustio.accel_backend = php
---
no configuration can be written for /$x: nginx can't quote a dollar sign
