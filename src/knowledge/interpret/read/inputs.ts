import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Shown } from './matching.ts'
import { slug } from './words.ts'

/** Something that is said anew each time. */
export interface LearnedInput {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean'
  readonly summary: string
  /** What was shown; for the owner's eyes only. */
  readonly example?: string
  readonly source_event_ids: readonly string[]
  /** All there is to choose from, where the app itself says so. */
  readonly choices?: readonly string[]
  readonly default?: boolean | string
  readonly secret?: boolean
}

type InputDraft = Omit<LearnedInput, 'name'> & { readonly wanted_name: string }

/** What a reviewer calls the inputs, by the names they would have. */
export type GivenNames = Readonly<
  Record<string, { readonly name: string; readonly summary?: string | undefined }>
>

/** The inputs found so far, each under a name of its own. */
export class InputList {
  readonly #inputs: LearnedInput[] = []
  readonly #own = new Set<string>()
  readonly #given: GivenNames

  constructor(given: GivenNames = {}) {
    this.#given = given
  }

  get all(): readonly LearnedInput[] {
    return this.#inputs
  }

  /** The values that were shown, by name. */
  get shown(): Shown {
    return new Map(this.#inputs.map(({ name, example }) => [name, example ?? '']))
  }

  /** The words that are somebody's choice and so no part of the app. */
  get variable_words(): ReadonlySet<string> {
    return new Set(
      this.#inputs.flatMap(({ type, example }) =>
        type === 'string' && example !== undefined ? [example] : [],
      ),
    )
  }

  /** The first name that holds none of the words that were chosen or typed. */
  nameFrom(names: readonly string[], example = ''): string {
    const own = [...this.variable_words, example].map(slug).filter((word) => word.length > 2)
    const safe = names.find((name) => own.every((word) => !name.includes(word)))
    return safe ?? names.at(-1) ?? 'value'
  }

  /** One text said twice is one input. */
  withExample(example: string): LearnedInput | undefined {
    return this.#inputs.find((input) => input.type === 'string' && input.example === example)
  }

  add({ wanted_name, ...input }: InputDraft): LearnedInput {
    let own = wanted_name
    for (let count = 2; this.#own.has(own); count += 1) own = `${wanted_name}_${count}`
    this.#own.add(own)
    const { name = own, summary = input.summary } = this.#given[own] ?? {}
    const added = { ...input, name, summary }
    this.#inputs.push(added)
    return added
  }

  /** What a person says is always the same needs not be said again, and can be nothing else. */
  settle(event_ids: readonly string[]): void {
    for (const [at, input] of this.#inputs.entries()) {
      const { type, example, source_event_ids } = input
      if (type !== 'string' || example === undefined || !canBeKept.test(example)) continue
      if (!source_event_ids.some((id) => event_ids.includes(id))) continue
      this.#inputs[at] = { ...input, default: example, choices: [example] }
    }
  }

  alsoFrom(name: string, event_ids: readonly string[]): void {
    const at = this.#inputs.findIndex((input) => input.name === name)
    const known = this.#inputs[at]
    if (known === undefined) return
    const source_event_ids = [...new Set([...known.source_event_ids, ...event_ids])]
    this.#inputs[at] = { ...known, source_event_ids }
  }
}

/** Neither the name of a text that was not to be kept, nor more than a choice may be. */
const canBeKept = /^[^‹›\r\n]{1,120}$/u

/** An input as a recipe declares it: without what was shown. */
export function declared(input: LearnedInput): RecipeInput {
  const { name, type, summary, choices } = input
  return {
    name,
    type,
    required: input.default === undefined,
    summary: summary.slice(0, 240),
    ...(input.default !== undefined && { default: input.default }),
    ...(choices !== undefined && { choices: [...choices] }),
  }
}
