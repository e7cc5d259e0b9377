import { createHash } from 'node:crypto'
import { type Execution, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { findLiterals } from '../check/literals.ts'
import { errorAt } from '../parse/violations.ts'

/** An execution with `{{NAME}}` placeholders, as skills contain it. */
export interface Template {
  readonly skill_id: string
  /** With or without `.recipe.json`. */
  readonly artifact_name: string
  readonly text: string
}

export type CompiledTemplate =
  | { readonly ok: true; readonly execution: Execution; readonly unused: readonly string[] }
  | {
      readonly ok: false
      readonly code: 'COMPILE_VARS_PARSE_FAILED' | 'COMPILE_VAR_MISSING' | 'COMPILE_VALIDATION_FAILED'
      readonly message: string
      readonly details: Readonly<Record<string, unknown>>
    }

const PLACEHOLDER = /\{\{([A-Za-z0-9_]+)\}\}/g

/** Whether a document is a template, not a recipe. */
export function isTemplate(document: unknown): boolean {
  return isRecord(document) && !('recipe_id' in document) && 'commandId' in document && 'actions' in document
}

/** Replaces all placeholders in one pass: placeholders inside values are not replaced. */
export function compileTemplate(template: Template, vars: unknown): CompiledTemplate {
  const { skill_id: skillId, text } = template
  const artifactName = stripExtension(template)
  const given = readVars(vars)
  if (given === undefined) {
    const message = 'vars must be an object with strings, numbers or booleans'
    const details = { varsJson: JSON.stringify(vars)?.slice(0, 1000), skillId, artifactName }
    return { ok: false, code: 'COMPILE_VARS_PARSE_FAILED', message, details }
  }
  const values: Readonly<Record<string, string>> = { ...buildIds(template, given), ...given }
  const used = new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))
  const missing = [...used].filter((name) => !Object.hasOwn(values, name) || values[name] === '')
  const [placeholder] = missing
  if (placeholder !== undefined) {
    const message = `Missing required variable: ${placeholder}`
    const details = { placeholder, missing, skillId, artifactName }
    return { ok: false, code: 'COMPILE_VAR_MISSING', message, details }
  }
  const filled = text.replaceAll(PLACEHOLDER, (_, name: string) => JSON.stringify(values[name] ?? '').slice(1, -1))
  const unused = Object.keys(given).filter((name) => !used.has(name))
  return validateFilled(filled, { unused, context: { skillId, artifactName } })
}

/** Violations of a template that do not depend on its variables, and personal literals. */
export function lintTemplate(text: string, blockedTerms?: readonly string[]): Violation[] {
  const payload: unknown = JSON.parse(text)
  const normalized = normalizeExecution(payload)
  const code = 'RECIPE_SCHEMA_INVALID'
  const refused = (message: string, path: string) =>
    errorAt({ code, rule: 'execution', path: path === '' ? [] : [path], message })
  return [
    ...(normalized.ok ? [] : [refused(normalized.failure.message, normalized.failure.path)]),
    ...findLiterals(payload, blockedTerms),
  ]
}

/** The digest in the ids of a compiled template. Other programs compute the same digest. */
export function computeTemplateDigest(
  template: Pick<Template, 'skill_id' | 'artifact_name'>,
  vars: Readonly<Record<string, string>>,
): string {
  const sorted = Object.fromEntries(Object.entries(vars).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const seed = { skillId: template.skill_id, artifactName: stripExtension(template), vars: sorted }
  return createHash('sha256').update(JSON.stringify(seed)).digest('hex').slice(0, 12)
}

function buildIds(template: Template, vars: Readonly<Record<string, string>>) {
  const digest = computeTemplateDigest(template, vars)
  return { COMMAND_ID: `cmd-${digest}`, TASK_ID: `task-${digest}` }
}

function stripExtension({ artifact_name }: Pick<Template, 'artifact_name'>): string {
  return artifact_name.replace(/\.recipe\.json$/i, '')
}

function readVars(vars: unknown): Record<string, string> | undefined {
  if (!isRecord(vars)) return undefined
  const entries = Object.entries(vars)
  const scalar = entries.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return scalar ? Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) : undefined
}

function validateFilled(
  filled: string,
  { unused, context }: { unused: readonly string[]; context: object },
): CompiledTemplate {
  const refused = (message: string, details: object): CompiledTemplate => ({
    ok: false,
    code: 'COMPILE_VALIDATION_FAILED',
    message,
    details: { ...context, ...details },
  })
  let payload: unknown
  try {
    payload = JSON.parse(filled)
  } catch (error) {
    return refused(`The artifact is not JSON: ${(error as Error).message}`, {})
  }
  if (!isRecord(payload)) return refused('The artifact must be a JSON object', {})
  const normalized = normalizeExecution({ ...payload, mode: 'artifact_compiled' })
  if (!normalized.ok) return refused(normalized.failure.message, { ...normalized.failure })
  return { ok: true, execution: normalized.execution, unused }
}
