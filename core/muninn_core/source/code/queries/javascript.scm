; inherits: script, jsx
(class_declaration name: (identifier) @name) @class
(class name: (identifier) @name) @class
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @field
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
