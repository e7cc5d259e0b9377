import { z } from 'zod'
import { parseExpression, type Expression } from './expression.ts'
import { parseTemplate, type Template, type ValueTemplate } from './template.ts'

/** The value kinds app documents are written in. Strings become trees here, once. */
export const Condition = z
  .string()
  .transform((text, context) => parsed(parseExpression, text, context))

export const Words = z.string().transform((text, context) => parsed(parseTemplate, text, context))

/** A place in the state that can be written: `saved.units[0].power`, `item.done`, `local.query`. */
export const Place = z.string().transform((text, context) => {
  const expression = parsed(parseExpression, text, context)
  if (expression.kind !== 'member' && expression.kind !== 'index') {
    context.issues.push({
      code: 'custom',
      message: `"${text}" is not a place that can be written; write for example saved.name`,
      input: text,
    })
    return z.NEVER
  }
  return expression
})

/** A number, or an expression that yields one. */
export const Amount = z.union([z.number().transform(literal), Condition])

/** Any JSON; its strings are templates. */
export const FilledValue = z.json().transform((value, context): ValueTemplate => {
  const compile = (entry: unknown, path: readonly PropertyKey[]): ValueTemplate => {
    if (typeof entry === 'string') {
      return parsed(parseTemplate, entry, { issues: context.issues, path })
    }
    if (Array.isArray(entry)) return entry.map((part, index) => compile(part, [...path, index]))
    if (typeof entry !== 'object' || entry === null) return plainValue(entry)
    const fields = Object.entries(entry).map(
      ([key, part]) => [key, compile(part, [...path, key])] as const,
    )
    return { fields: Object.fromEntries(fields) }
  }
  return compile(value, [])
})

export const FilledRecord = z.record(z.string(), FilledValue)

export const StateShape = z.record(z.string(), z.json())

interface IssueSink {
  readonly issues: { push(issue: z.core.$ZodRawIssue): unknown }
  readonly path?: readonly PropertyKey[]
}

function parsed<T extends Expression | Template>(
  parse: (text: string) => T,
  text: string,
  sink: IssueSink,
): T {
  try {
    return parse(text)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    sink.issues.push({ code: 'custom', message, input: text, path: [...(sink.path ?? [])] })
    return z.NEVER
  }
}

function literal(value: number): Expression {
  return { kind: 'literal', value }
}

function plainValue(value: unknown): null | boolean | number {
  return typeof value === 'boolean' || typeof value === 'number' ? value : null
}
