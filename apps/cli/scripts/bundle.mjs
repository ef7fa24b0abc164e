// bundle
