import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { PolicyProfile } from '@apprentice/contracts/recipes/policy.ts'
import type { Capability, Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { Failure } from '../../../failure/failure.ts'
import { opensHeader } from '../../markdown/document.ts'
import { executionCapabilities } from '../lower/capabilities.ts'
import { type CompiledStep, type CompileOptions, compileRecipe } from './compile.ts'
import {
  type Linted,
  type LintOptions,
  lintRecipe,
  lintValue,
  parseRecipe,
  readRecipe,
  type RecipeFormat,
} from '../check/parse-recipe.ts'
import { policyDecision } from './policy.ts'
import { compileTemplate, isTemplate, lintTemplate } from './template.ts'
import { withLines } from '../parse/violations.ts'

/** A recipe as an object or as a text, or a template in its place. */
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

/** What begins with front matter is Markdown. */
export function formatOf(text: string): RecipeFormat {
  return opensHeader(text) ? 'markdown' : 'json'
}

/** A template is judged by what it makes, with its variables left as they stand. */
export function lintSource(source: RecipeSource, options: LintOptions): Linted {
  const { recipe, text, format } = source
  const template = templateIn(source)
  if (template !== undefined) return { violations: lintTemplate(template, options.blockedTerms) }
  return text === undefined
    ? lintValue(recipe, options)
    : lintRecipe(text, format ?? formatOf(text), options)
}

/** Throws the failure that fits the first thing wrong; its details hold them all. */
export function compileSource(source: RecipeSource, request: CompileRequest): CompiledDocument {
  const template = templateIn(source)
  if (template !== undefined) return allowed(fromTemplate(template, request), request)
  const { recipe, warnings, lines } = recipeIn(source)
  const compiled = compileRecipe(recipe, request.inputs, request)
  if (!compiled.ok) throw refusal(withLines(compiled.violations, lines), recipe)
  const { execution, steps } = compiled
  const document = { execution, steps, warnings, unused_inputs: [] }
  return allowed({ ...document, capabilities: executionCapabilities(execution) }, request, recipe)
}

function recipeIn({ recipe, text, format }: RecipeSource) {
  const read = text === undefined ? readRecipe(recipe) : parseRecipe(text, format ?? formatOf(text))
  if ('violations' in read) throw refusal(read.violations)
  return read
}

/** The text of a template, if that is what there is. */
function templateIn({ recipe, text, format }: RecipeSource): string | undefined {
  if (text === undefined) return isTemplate(recipe) ? JSON.stringify(recipe) : undefined
  if ((format ?? formatOf(text)) !== 'json') return undefined
  try {
    return isTemplate(JSON.parse(text)) ? text : undefined
  } catch {
    return undefined
  }
}

function fromTemplate(text: string, request: CompileRequest): CompiledDocument {
  const { skill_id, artifact_name, inputs } = request
  if (skill_id === undefined || artifact_name === undefined) {
    const field = skill_id === undefined ? 'skill_id' : 'artifact_name'
    const message = `A template needs ${field}: its ids are made of it.`
    throw new Failure('INVALID_REQUEST', message, { details: { field } })
  }
  const compiled = compileTemplate({ skill_id, artifact_name, text }, inputs)
  if (!compiled.ok) {
    throw new Failure(compiled.code, compiled.message, { details: { ...compiled.details } })
  }
  const { execution, unused } = compiled
  const steps = execution.actions.map(({ id }) => ({ action_id: id, step_id: id }))
  const capabilities = executionCapabilities(execution)
  return { execution, steps, capabilities, warnings: [], unused_inputs: unused }
}

function allowed(
  document: CompiledDocument,
  { policy }: CompileRequest,
  recipe?: Recipe,
): CompiledDocument {
  if (policy === undefined) return document
  const decision = policyDecision(policy, { recipe, execution: document.execution })
  if (decision.allowed) return document
  throw new Failure(decision.code, decision.message, { details: { ...decision.details } })
}

function refusal(violations: readonly Violation[], recipe?: Recipe): Failure {
  const lacking = violations.find(({ code }) => code === 'RECIPE_INPUT_MISSING')
  const misfit = violations.find(({ rule }) => rule === 'input_values' || rule === 'execution')
  const first = lacking ?? misfit ?? violations[0]
  const input = lacking?.path.replace(/^inputs\./, '')
  const code =
    lacking !== undefined
      ? 'RECIPE_INPUT_MISSING'
      : misfit !== undefined
        ? 'RECIPE_INPUT_INVALID'
        : 'RECIPE_INVALID'
  const where = first?.path === '' ? '' : `${first?.path}: `
  return new Failure(code, `${where}${first?.message ?? 'The recipe is wrong'}.`, {
    details: {
      violations,
      ...(recipe !== undefined && { recipe_id: recipe.recipe_id }),
      ...(input !== undefined && { input }),
    },
  })
}
