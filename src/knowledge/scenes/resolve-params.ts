import type { OpenParam } from '@apprentice/contracts/scenes/dispatch.ts'
import { foldText } from './text/fold-text.ts'
import type { Candidate, InstructionText, JsonValue, Moment, Resolution } from './resolvers/resolver.ts'
import type { Scene, SceneParameter } from './scene.ts'

/** What the parameters of a scene are. Nothing is taken from a page or assumed. */
export interface ResolvedParams {
  readonly args: Readonly<Record<string, JsonValue>>
  /** The number of required parameters. */
  readonly required: number
  /** The words that gave values. */
  readonly found: readonly string[]
  readonly missing: readonly OpenParam[]
  readonly ambiguous: readonly OpenParam[]
  readonly notes: readonly string[]
}

/** Finds the value of a parameter. Undefined if nothing was given for it. */
type Resolve = (param: SceneParameter) => Resolution | undefined

/** Resolves parameters in an instruction, each once for all scenes that declare it alike. */
export function createInstructionResolver(text: InstructionText, moment: Moment): Resolve {
  const known = new Map<string, Resolution>()
  return ({ key, resolve }) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const resolution = resolve.resolve(text, moment)
    known.set(key, resolution)
    return resolution
  }
}

/** Resolves each parameter in the text that was given for it alone. */
export function createInputResolver(inputs: Readonly<Record<string, unknown>>, moment: Moment): Resolve {
  return ({ name, resolve }) => {
    const given = inputs[name]
    const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given
    return typeof text === 'string' ? resolve.resolve(toInstructionText(text), moment) : undefined
  }
}

export const toInstructionText = (raw: string): InstructionText => ({ raw, folded: foldText(raw) })

export function resolveParams({ params }: Pick<Scene, 'params'>, resolve: Resolve): ResolvedParams {
  const args: Record<string, JsonValue> = {}
  const resolved = { args, required: 0, found: NONE, missing: NO_PARAMS, ambiguous: NO_PARAMS, notes: NONE }
  for (const param of params) {
    if (param.required) resolved.required += 1
    const resolution = resolve(param)
    if (resolution?.status === 'resolved') {
      Object.assign(args, resolution.args)
      resolved.found = [...resolved.found, ...resolution.found]
      if (resolution.note !== undefined) resolved.notes = [...resolved.notes, resolution.note]
    } else if (resolution?.status === 'ambiguous') {
      resolved.ambiguous = [...resolved.ambiguous, toAmbiguous(param, resolution.candidates)]
    } else if (param.required) {
      const { name, prompt_missing } = param
      resolved.missing = [...resolved.missing, { name, prompt: prompt_missing, candidates: [] }]
    }
  }
  return resolved
}

const NONE: readonly string[] = []
const NO_PARAMS: readonly OpenParam[] = []

const toAmbiguous = ({ name, prompt_ambiguous }: SceneParameter, candidates: readonly Candidate[]): OpenParam => ({
  name,
  prompt: prompt_ambiguous,
  candidates: candidates.map(({ label, args }) => ({ label, args: { ...args } })),
})
