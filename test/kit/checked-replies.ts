import { isDeepStrictEqual } from 'node:util'
import { compileReply, type ReplyCompiler } from '../../src/http/reply-serializer.ts'

/**
 * Serializes replies as the daemon does and validates each by its contract. The compiled code has to write exactly what
 * the contract keeps.
 */
export const compileCheckedReply: ReplyCompiler = (route) => {
  const serialize = compileReply(route)
  return (data: unknown) => {
    const text = serialize(data)
    const expected = JSON.stringify(route.schema.parse(data))
    if (text !== expected && !isDeepStrictEqual(JSON.parse(text), JSON.parse(expected))) {
      throw new Error(
        `${route.method} ${route.url} is not serialized by its contract: ${findDifference(text, expected)}`,
      )
    }
    return text
  }
}

function findDifference(text: string, expected: string): string {
  let at = 0
  while (text[at] === expected[at]) at += 1
  const [from, to] = [Math.max(0, at - 60), at + 60]
  return `${text.slice(from, to)} instead of ${expected.slice(from, to)}`
}
