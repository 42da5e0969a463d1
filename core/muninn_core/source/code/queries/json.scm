(document (object (pair key: (string) @name) @key))
(document (object (pair value: (object (pair key: (string) @name) @key))))
(ERROR) @error
