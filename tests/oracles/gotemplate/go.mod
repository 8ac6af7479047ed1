module kagent-gitops/tests/oracles/gotemplate

go 1.26
