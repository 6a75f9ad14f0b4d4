"""What combines the lanes' edits into one tree."""

RECONCILERS = {
    "concat": "reconcilers.concat.Concat",
    "git-merge": "reconcilers.git_merge.GitMerge",
}
