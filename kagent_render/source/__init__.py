"""Where manifests come from: work tree, index, Git revision or stdin, as documents with positions."""
