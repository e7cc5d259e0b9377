import { Lexer, Parser } from 'yaml'

/** More than is ever read, and far less than the composer of documents can bear. */
const MAX_OPEN = 64

/**
 * Whether a text is nested beyond all measure. The composer goes down level by level until the stack is used up, and
 * where that happens while a regular expression is compiled, no error is thrown: the process ends.
 */
export function isBottomless(text: string): boolean {
  const parser = new Parser()
  for (const token of new Lexer().lex(text)) {
    const done = parser.next(token)
    while (done.next().done !== true);
    if (parser.stack.length > MAX_OPEN) return true
  }
  return false
}
