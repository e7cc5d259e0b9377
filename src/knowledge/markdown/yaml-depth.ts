import { Lexer, Parser } from 'yaml'

/** More than `readYaml` accepts, and far less than the YAML composer can handle. */
const MAX_OPEN_NODES = 64

/**
 * Whether a text is nested too deeply to parse. The YAML composer is recursive: a deep text overflows the stack, and if
 * that happens while a regular expression is compiled, the process ends without an error.
 */
export function isTooDeep(text: string): boolean {
  const parser = new Parser()
  for (const token of new Lexer().lex(text)) {
    const done = parser.next(token)
    while (done.next().done !== true);
    if (parser.stack.length > MAX_OPEN_NODES) return true
  }
  return false
}
