(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @class
(companion_object name: (identifier) @name) @class
(function_declaration name: (identifier) @name) @function
(property_declaration (variable_declaration (identifier) @name)) @field
(enum_entry (identifier) @name) @constant
(type_alias type: (identifier) @name) @type
(import) @import
(call_expression (identifier) @call)
(call_expression (navigation_expression (identifier) @call .))
(ERROR) @error
