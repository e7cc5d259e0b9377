import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import { type AbilityCall, MAX_CALL_DEPTH } from '@apprentice/contracts/recipes/call.ts'
import type { Recipe, RecipeOutput } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../../failure/failure.ts'
import { readRecipe } from '../check/parse-recipe.ts'
import { checkStructure } from '../check/validate.ts'
import type { PlacedCall } from '../parse/ability-calls.ts'
import { readInputs } from '../parse/input-values.ts'
import { isError } from '../parse/violations.ts'
import { lowerParts, type RecipePart } from '../parts/lower-parts.ts'
import { type CompiledStep, computeContentHash, computeDigest, toCompiledSteps } from './compile.ts'
import { toFailure } from './compile-document.ts'
import { chooseRedaction, pickStricter } from './outputs.ts'
import { describeWork, type PolicyDecision, type PolicySubject } from '../policy/decide-policy.ts'
import { showsOutcome } from '../parse/shown-outcome.ts'

/** One version of an ability with its recipe. */
export interface InstalledRecipe {
  readonly ability_id: string
  readonly version: number
  readonly recipe: Recipe
}

/** One execution of a run. */
export interface CompiledPart {
  /** The steps that called the ability, joined with `/`; empty for the ability that runs. */
  readonly call: string
  readonly ability_id: string
  readonly version: number
  readonly content_hash: string
  readonly execution: Execution
  readonly plan: readonly CompiledStep[]
  /** The outputs of the run that this part reads. */
  readonly outputs: readonly RecipeOutput[]
  /** The part to continue with if the outcome was already reached at the start. */
  readonly done_at?: number
}

export interface RunCompileOptions {
  /** The time for all parts together. */
  readonly budgetMs?: number | undefined
  readonly commandId: string
  /** Decides on the work of one recipe. */
  readonly decide: (abilityId: string, work: Omit<PolicySubject, 'consent'>) => PolicyDecision
  /** Finds the ability that a call names. Throws if it cannot be called. */
  readonly findCalled: (call: AbilityCall) => InstalledRecipe
}

type Inputs = Readonly<Record<string, unknown>>

/**
 * Compiles abilities to the executions of a run, with the abilities they call. One compiler may compile many items: each
 * recipe is checked once.
 */
export class RunCompiler {
  readonly #options: RunCompileOptions
  readonly #checked = new Map<string, { readonly recipe: Recipe; readonly content_hash: string }>()

  constructor(options: RunCompileOptions) {
    this.#options = options
  }

  compile(installed: InstalledRecipe, inputs: Inputs): CompiledPart[] {
    const parts: CompiledPart[] = []
    this.#add(parts, { installed, inputs, path: [], callers: [], outputs: installed.recipe.outputs })
    return parts
  }

  #add(parts: CompiledPart[], frame: Frame): void {
    const { installed, path } = frame
    const { ability_id, version } = installed
    const { recipe, content_hash } = this.#check(installed)
    const lowered = this.#lower(recipe, frame)
    this.#enforcePolicy(ability_id, recipe, lowered)
    const first = parts.length
    for (const part of lowered) {
      if (part.kind === 'call') this.#addCall(parts, frame, part.call)
      else {
        const plan = toCompiledSteps(recipe, part.actions)
        const { execution } = part
        parts.push({ call: path.join('/'), ability_id, version, content_hash, execution, plan, outputs: frame.outputs })
      }
      if (parts.length > MAX_PARTS) throw tooLong()
    }
    markShortcut(parts, first, lowered)
  }

  #addCall(parts: CompiledPart[], frame: Frame, { call, step_id }: PlacedCall): void {
    const called = this.#options.findCalled(call)
    const { ability_id } = frame.installed
    const callers = [...frame.callers, ability_id]
    if (callers.includes(called.ability_id)) {
      throw refusedCall(`${called.ability_id} calls itself through ${callers.join(', ')}.`, called)
    }
    if (callers.length > MAX_CALL_DEPTH) {
      throw refusedCall(`Calls are nested more than ${MAX_CALL_DEPTH} deep at ${called.ability_id}.`, called)
    }
    if (!showsOutcome(called.recipe)) {
      throw refusedCall(`${called.ability_id} verifies nothing, so it cannot be a step.`, called)
    }
    const outputs = Object.entries(call.outputs).flatMap(([own, theirs]) => {
      const published = frame.outputs.find((output) => output.name === own)
      const source = called.recipe.outputs.find((output) => output.name === theirs)
      return published === undefined || source === undefined ? [] : [publishOutput(source, published)]
    })
    const path = [...frame.path, step_id]
    this.#add(parts, { installed: called, inputs: call.inputs, path, callers, outputs })
  }

  /** Throws a failure if the recipe is invalid. */
  #check({ ability_id, version, recipe }: InstalledRecipe): { readonly recipe: Recipe; readonly content_hash: string } {
    const key = `${ability_id}@${version}`
    const known = this.#checked.get(key)
    if (known !== undefined) return known
    const read = readRecipe(recipe)
    if ('violations' in read) throw toFailure(read.violations)
    const violations = checkStructure(read.recipe).filter(isError)
    if (violations.length > 0) throw toFailure(violations, read.recipe)
    const checked = { recipe: read.recipe, content_hash: computeContentHash(read.recipe) }
    this.#checked.set(key, checked)
    return checked
  }

  #lower(recipe: Recipe, { inputs, path }: Frame): readonly RecipePart[] {
    const { commandId, budgetMs } = this.#options
    const read = readInputs(recipe, inputs)
    if ('violations' in read) throw toCallFailure(toFailure(read.violations, recipe), path)
    const header = { commandId, taskId: `task-${computeDigest(recipe, read.values)}`, budgetMs }
    const lowered = lowerParts(recipe, read.values, header, 'RECIPE_INPUT_INVALID')
    if (!lowered.ok) throw toCallFailure(toFailure(lowered.violations, recipe), path)
    return lowered.parts
  }

  #enforcePolicy(abilityId: string, recipe: Recipe, parts: readonly RecipePart[]): void {
    for (const part of parts) {
      if (part.kind === 'call') continue
      const decision = this.#options.decide(abilityId, describeWork({ recipe, execution: part.execution }))
      if (!decision.allowed) throw new Failure(decision.code, decision.message, { details: { ...decision.details } })
    }
  }
}

/** One recipe that is being compiled, and how it was called. */
interface Frame {
  readonly installed: InstalledRecipe
  readonly inputs: Inputs
  readonly path: readonly string[]
  readonly callers: readonly string[]
  readonly outputs: readonly RecipeOutput[]
}

/** The largest number of executions for one item. */
const MAX_PARTS = 100

/** If the first part finds the outcome already reached, the run continues with the verification of the same ability. */
function markShortcut(parts: CompiledPart[], first: number, lowered: readonly RecipePart[]): void {
  const [start] = lowered
  const last = lowered.at(-1)
  const opening = parts[first]
  if (lowered.length < 2 || start?.kind !== 'execution' || last?.kind !== 'execution' || !last.verifies) return
  if (opening !== undefined) parts[first] = { ...opening, done_at: parts.length - 1 }
}

const publishOutput = (source: RecipeOutput, published: RecipeOutput): RecipeOutput => ({
  ...source,
  name: published.name,
  redaction: pickStricter(chooseRedaction(source), chooseRedaction(published)),
})

function tooLong(): Failure {
  return new Failure('RECIPE_INVALID', `The ability needs more than ${MAX_PARTS} executions.`, { details: {} })
}

function refusedCall(message: string, { ability_id }: InstalledRecipe): Failure {
  return new Failure('RECIPE_INVALID', message, { details: { called_ability_id: ability_id } })
}

/** Names the call in which an input is missing or invalid. */
function toCallFailure(failure: Failure, path: readonly string[]): Failure {
  if (path.length === 0) return failure
  const call = path.join('/')
  return new Failure(failure.code, `In the call ${call}: ${failure.message}`, { details: { ...failure.details, call } })
}
