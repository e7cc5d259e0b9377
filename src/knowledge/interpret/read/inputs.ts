import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { ExampleValues } from './matching.ts'
import type { Name, Names } from './name-list.ts'
import { toSlug } from './node-text.ts'

/** A value that each run of the recipe is given. */
export interface LearnedInput {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean'
  readonly summary: string
  /** Its value in the demonstration. Only the owner may see it. */
  readonly example?: string
  readonly source_event_ids: readonly string[]
  /** The options that the app offers, if it lists them. */
  readonly choices?: readonly string[]
  readonly default?: boolean | string
  readonly secret?: boolean
}

type InputDraft = Omit<LearnedInput, 'name'> & { readonly proposed_name: string }

/** Names and summaries that a reviewer gave, by the proposed name. */
export type GivenNames = Readonly<Record<string, { readonly name: string; readonly summary?: string | undefined }>>

/** The inputs found so far, with unique names. */
export class InputList {
  readonly #inputs: LearnedInput[] = []
  readonly #proposed = new Set<string>()
  /** The lists that entries were named in. */
  readonly #lists = new Set<string>()
  readonly #given: GivenNames

  constructor(given: GivenNames = {}) {
    this.#given = given
  }

  get all(): readonly LearnedInput[] {
    return this.#inputs
  }

  /** The values of the demonstration, by name. */
  get examples(): ExampleValues {
    return new Map(this.#inputs.map(({ name, example }) => [name, example ?? '']))
  }

  /** Texts that a person chose or typed. They are not part of the app. */
  get variable_texts(): ReadonlySet<string> {
    return new Set(
      this.#inputs.flatMap(({ type, example }) => (type === 'string' && example !== undefined ? [example] : [])),
    )
  }

  /** The first name that contains no chosen or typed text and that no other input has. `list` is where an entry is. */
  chooseName(names: Names, example = '', list?: string): Name {
    const values = [...this.variable_texts, example].map(toSlug).filter((slug) => slug.length > 2)
    const safe = names.filter(({ name }) => values.every((slug) => !name.includes(slug)))
    // Two entries of one list are two of the same kind.
    const isRepeated = list !== undefined && this.#lists.has(list)
    if (list !== undefined) this.#lists.add(list)
    const free = isRepeated ? undefined : safe.slice(0, -1).find(({ name }) => !this.#proposed.has(name))
    return free ?? safe[0] ?? names.at(-1) ?? { name: 'value' }
  }

  /** Finds the input with an example: a text that occurs twice is one input. */
  findByExample(example: string): LearnedInput | undefined {
    return this.#inputs.find((input) => input.type === 'string' && input.example === example)
  }

  /** Whether a value of an input comes from one of these events. */
  isSource(event_ids: readonly string[]): boolean {
    return this.#inputs.some(({ source_event_ids }) => source_event_ids.some((id) => event_ids.includes(id)))
  }

  add({ proposed_name, ...input }: InputDraft): LearnedInput {
    let unique = proposed_name
    for (let count = 2; this.#proposed.has(unique); count += 1) unique = `${proposed_name}_${count}`
    this.#proposed.add(unique)
    const { name = unique, summary = input.summary } = this.#given[unique] ?? {}
    const added = { ...input, name, summary }
    this.#inputs.push(added)
    return added
  }

  /** Makes the example the only choice and the default of the inputs that come from these events. */
  fixToExample(event_ids: readonly string[]): void {
    for (const [at, input] of this.#inputs.entries()) {
      const { type, example, source_event_ids } = input
      if (type !== 'string' || example === undefined || !STORABLE_EXAMPLE.test(example)) continue
      if (!source_event_ids.some((id) => event_ids.includes(id))) continue
      this.#inputs[at] = { ...input, default: example, choices: [example] }
    }
  }

  /** Adds events to the sources of an input. */
  addSources(name: string, event_ids: readonly string[]): void {
    const at = this.#inputs.findIndex((input) => input.name === name)
    const known = this.#inputs[at]
    if (known === undefined) return
    const source_event_ids = [...new Set([...known.source_event_ids, ...event_ids])]
    this.#inputs[at] = { ...known, source_event_ids }
  }
}

/** No token of a text without consent, and within the length limit of a choice. */
const STORABLE_EXAMPLE = /^[^‹›\r\n]{1,120}$/u

/** The declaration of an input in a recipe. It has no example. */
export function toRecipeInput(input: LearnedInput): RecipeInput {
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
