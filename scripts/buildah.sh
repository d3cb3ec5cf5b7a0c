# shellcheck shell=bash
# Sourced by scripts/image.sh and docker/check.sh: buildah without a daemon, with a storage of its own below ROOT.

images=$ROOT/.matrix/images
mkdir -p "$images"

# overlay shares what images have in common; vfs copies every layer whole, but works anywhere (inside a container, too).
driver=vfs
probe=$(mktemp -d "$images/probe.XXXXXX")
mkdir "$probe/lower" "$probe/upper" "$probe/work" "$probe/merged"
if mount -t overlay overlay -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" "$probe/merged" 2>/dev/null; then
    umount "$probe/merged"
    driver=overlay
fi
rm -rf "$probe"

BUILDAH=(buildah --root "$images/$driver" --runroot "$images/run-$driver" --storage-driver "$driver")
b() { "${BUILDAH[@]}" "$@"; }
