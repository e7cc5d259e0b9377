import { isDeepStrictEqual } from 'node:util'
import { parseExpression, walkExpression } from '@apprentice/phone/documents/expression.ts'
import type { StateRecord } from '@apprentice/phone/phone.ts'

/** The top-level keys of `saved` that changed and that the expression does not mention. */
export function findOtherChanges(expression: string, before: StateRecord, after: StateRecord): string[] {
  const mentioned = collectSavedKeys(expression)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !mentioned.has(key) && !isDeepStrictEqual(before[key], after[key]),
  )
}

function collectSavedKeys(expression: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const part of walkExpression(parseExpression(expression))) {
    if (part.kind !== 'member' && part.kind !== 'index') continue
    if (part.object.kind !== 'name' || part.object.name !== 'saved') continue
    if (part.kind === 'member') keys.add(part.key)
    else if (part.index.kind === 'literal') keys.add(String(part.index.value))
  }
  return keys
}
