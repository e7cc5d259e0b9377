import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import type { Capability, Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { Failure } from '../../../failure/failure.ts'
import { startsWithHeader } from '../../markdown/document.ts'
import { inferExecutionCapabilities } from '../lower/capabilities.ts'
import { type CompiledStep, type CompileOptions, compileRecipe } from './compile.ts'
import {
  type LintResult,
  type LintOptions,
  lintRecipe,
  lintValue,
  parseRecipe,
  readRecipe,
  type RecipeFormat,
} from '../check/parse-recipe.ts'
import { decidePolicy, describeWork } from '../policy/decide-policy.ts'
import { compileTemplate, isTemplate, lintTemplate } from './template.ts'
import { withLines } from '../parse/violations.ts'

/** A recipe or a template, as an object or as a text. */
export interface RecipeSource {
  readonly recipe?: unknown
  readonly text?: string | undefined
  readonly format?: RecipeFormat | undefined
}

export interface CompileRequest extends CompileOptions {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly policy?: PolicyProfile | undefined
  readonly skill_id?: string | undefined
  readonly artifact_name?: string | undefined
}

export interface CompiledDocument {
  readonly execution: Execution
  readonly steps: readonly CompiledStep[]
  readonly capabilities: readonly Capability[]
  readonly warnings: readonly Violation[]
  readonly unused_inputs: readonly string[]
}

/** A text that starts with front matter is Markdown, any other is JSON. */
export function detectFormat(text: string): RecipeFormat {
  return startsWithHeader(text) ? 'markdown' : 'json'
}

/** Checks a recipe. A template is checked as an execution with its placeholders in place. */
export function lintSource(source: RecipeSource, options: LintOptions): LintResult {
  const { recipe, text, format } = source
  const template = findTemplate(source)
  if (template !== undefined) return { violations: lintTemplate(template, options.blockedTerms) }
  return text === undefined ? lintValue(recipe, options) : lintRecipe(text, format ?? detectFormat(text), options)
}

/** Throws a failure for the first violation; its details contain all violations. */
export function compileSource(source: RecipeSource, request: CompileRequest): CompiledDocument {
  const template = findTemplate(source)
  if (template !== undefined) return enforcePolicy(compileFromTemplate(template, request), request)
  const { recipe, warnings, lines } = readSourceRecipe(source)
  const compiled = compileRecipe(recipe, request.inputs, request)
  if (!compiled.ok) throw toFailure(withLines(compiled.violations, lines), recipe)
  const { execution, steps } = compiled
  const document = { execution, steps, warnings, unused_inputs: [] }
  return enforcePolicy({ ...document, capabilities: inferExecutionCapabilities(execution) }, request, recipe)
}

function readSourceRecipe({ recipe, text, format }: RecipeSource) {
  const read = text === undefined ? readRecipe(recipe) : parseRecipe(text, format ?? detectFormat(text))
  if ('violations' in read) throw toFailure(read.violations)
  return read
}

/** The text of the template, if the source is one. */
function findTemplate({ recipe, text, format }: RecipeSource): string | undefined {
  if (text === undefined) return isTemplate(recipe) ? JSON.stringify(recipe) : undefined
  if ((format ?? detectFormat(text)) !== 'json') return undefined
  try {
    return isTemplate(JSON.parse(text)) ? text : undefined
  } catch {
    return undefined
  }
}

function compileFromTemplate(text: string, request: CompileRequest): CompiledDocument {
  const { skill_id, artifact_name, inputs } = request
  if (skill_id === undefined || artifact_name === undefined) {
    const field = skill_id === undefined ? 'skill_id' : 'artifact_name'
    const message = `A template requires ${field}; the ids of the execution are derived from it.`
    throw new Failure('INVALID_REQUEST', message, { details: { field } })
  }
  const compiled = compileTemplate({ skill_id, artifact_name, text }, inputs)
  if (!compiled.ok) {
    throw new Failure(compiled.code, compiled.message, { details: { ...compiled.details } })
  }
  const { execution, unused } = compiled
  const steps = execution.actions.map(({ id }) => ({ action_id: id, step_id: id }))
  const capabilities = inferExecutionCapabilities(execution)
  return { execution, steps, capabilities, warnings: [], unused_inputs: unused }
}

function enforcePolicy(document: CompiledDocument, { policy }: CompileRequest, recipe?: Recipe): CompiledDocument {
  if (policy === undefined) return document
  const work = describeWork({ recipe, execution: document.execution })
  const decision = decidePolicy([policy], { ...work, consent: false })
  if (decision.allowed) return document
  throw new Failure(decision.code, decision.message, { details: { ...decision.details } })
}

export function toFailure(violations: readonly Violation[], recipe?: Recipe): Failure {
  const missing = violations.find(({ code }) => code === 'RECIPE_INPUT_MISSING')
  const mismatch = violations.find(({ rule }) => rule === 'input_values' || rule === 'execution')
  const first = missing ?? mismatch ?? violations[0]
  const input = missing?.path.replace(/^inputs\./, '')
  const code =
    missing !== undefined ? 'RECIPE_INPUT_MISSING' : mismatch !== undefined ? 'RECIPE_INPUT_INVALID' : 'RECIPE_INVALID'
  const where = first?.path === '' ? '' : `${first?.path}: `
  return new Failure(code, `${where}${first?.message ?? 'The recipe is invalid'}.`, {
    details: {
      violations,
      ...(recipe !== undefined && { recipe_id: recipe.recipe_id }),
      ...(input !== undefined && { input }),
    },
  })
}
