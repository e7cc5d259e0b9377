import { z } from 'zod'
import { parseExpression, type Expression } from './expression.ts'
import { parseTemplate, type Template, type ValueTemplate } from './template.ts'

/** An expression: `saved.count > 2`. It is parsed when the document is read. */
export const ExpressionText = z.string().transform((text, context) => parseWith(parseExpression, text, context))

/** Text with expressions in braces: `Total: {saved.total}`. */
export const TextTemplate = z.string().transform((text, context) => parseWith(parseTemplate, text, context))

/** A writable state path: `saved.units[0].power`, `item.done`, `local.query`. */
export const WritablePath = z.string().transform((text, context) => {
  const expression = parseWith(parseExpression, text, context)
  if (expression.kind !== 'member' && expression.kind !== 'index') {
    context.issues.push({
      code: 'custom',
      message: `"${text}" is not a writable path; write a path such as saved.name`,
      input: text,
    })
    return z.NEVER
  }
  return expression
})

/** A number, or an expression with a numeric result. */
export const NumberExpression = z.union([z.number().transform(literal), ExpressionText])

/** Any JSON value. Its strings are text templates. */
export const TemplateValue = z.json().transform((value, context): ValueTemplate => {
  const compile = (entry: unknown, path: readonly PropertyKey[]): ValueTemplate => {
    if (typeof entry === 'string') {
      return parseWith(parseTemplate, entry, { issues: context.issues, path })
    }
    if (Array.isArray(entry)) return entry.map((part, index) => compile(part, [...path, index]))
    if (typeof entry !== 'object' || entry === null) return plainValue(entry)
    const fields = Object.entries(entry).map(([key, part]) => [key, compile(part, [...path, key])] as const)
    return { fields: Object.fromEntries(fields) }
  }
  return compile(value, [])
})

export const TemplateRecord = z.record(z.string(), TemplateValue)

export const Color = z.string().regex(/^#[0-9a-f]{6}$/i, 'write a color as #rrggbb')

/** The declared keys of a state record, with their initial values. */
export const InitialState = z.record(z.string(), z.json())

interface IssueSink {
  readonly issues: { push(issue: z.core.$ZodRawIssue): unknown }
  readonly path?: readonly PropertyKey[]
}

function parseWith<T extends Expression | Template>(parse: (text: string) => T, text: string, sink: IssueSink): T {
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
