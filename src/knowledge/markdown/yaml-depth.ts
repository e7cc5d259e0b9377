import { Lexer, Parser } from 'yaml'

/** More than `readYaml` accepts, and far less than the YAML composer can handle. */
const MAX_OPEN_NODES = 64

/**
 * Whether a text is nested too deeply to parse, or has too many tokens. The YAML composer is recursive: a deep text overflows the stack, and if
 * that happens while a regular expression is compiled, the process ends without an error.
 */
export function findYamlExcess(text: string, maxTokens: number): 'depth' | 'tokens' | undefined {
  const parser = new Parser()
  let tokens = 0
  for (const token of new Lexer().lex(text)) {
    const done = parser.next(token)
    while (done.next().done !== true);
    if (parser.stack.length > MAX_OPEN_NODES) return 'depth'
    tokens += 1
    if (tokens > maxTokens) return 'tokens'
  }
  return undefined
}
