import type { Affordance } from './affordances.ts'
import { overlap, wordsOf } from './words.ts'

/** A screen as the search remembers it. */
export interface Place {
  readonly id: string
  /** What kind of screen it is, whatever it shows. */
  readonly shape: string
  readonly app: string
  readonly title: string
  readonly ways: readonly Affordance[]
}

/** One thing that was tried, and where it led. */
export interface Try {
  readonly from: string
  readonly key: string
  /** Absent when it led nowhere that could be read, or out of what may be entered. */
  readonly to?: string | undefined
}

export interface Quest {
  /** What is looked for, in words. */
  readonly wanted: readonly string[]
  readonly apps: readonly string[]
  readonly max_depth: number
}

/** What to try next, and how to get to where it is tried. */
export interface Move {
  readonly from: string
  readonly way: Affordance
  /** The ways from the start to `from`. */
  readonly path: readonly Affordance[]
  readonly travel: 'here' | 'back' | 'anew'
  /** How many actions it takes. */
  readonly cost: number
}

interface Known {
  readonly place: Place
  readonly path: readonly Affordance[]
  /** Where it was first reached from. */
  readonly parent?: string | undefined
}

/**
 * A systematic search over screens. It is a function of what it was told: the same places and tries in the same
 * order give the same next move. Nothing is tried twice, and nothing is entered that may not be.
 */
export class Search {
  readonly #quest: Quest
  readonly #known = new Map<string, Known>()
  readonly #tries = new Map<string, Try>()
  #at: string | undefined

  constructor(quest: Quest) {
    this.#quest = quest
  }

  get places(): number {
    return this.#known.size
  }

  get tries(): number {
    return this.#tries.size
  }

  get at(): string | undefined {
    return this.#at
  }

  /** The app was started anew and shows this. */
  begin(place: Place): void {
    this.#learn(place, [], undefined)
    this.#at = place.id
  }

  /** It is known by reading it that this is where we are; undefined where that is nowhere of ours. */
  stand(place: Place | undefined): void {
    this.#at = place !== undefined && this.#known.has(place.id) ? place.id : undefined
  }

  /** What came of a move. A place outside the apps is noted as a way that leads out. */
  tried({ from, way, path }: Pick<Move, 'from' | 'way' | 'path'>, to: Place | undefined): void {
    const entered = to !== undefined && this.#mayEnter(to) ? to : undefined
    this.#tries.set(edge(from, way.key), { from, key: way.key, to: entered?.id })
    if (entered !== undefined) this.#learn(entered, [...path, way], from)
    this.#at = entered?.id
  }

  pathTo(id: string): readonly Affordance[] | undefined {
    return this.#known.get(id)?.path
  }

  /** All apps that were entered: whoever starts anew stops them all. */
  get entered(): readonly string[] {
    return [...new Set([...this.#known.values()].map(({ place }) => place.app))]
  }

  /** The most promising thing that was not tried, within what is left to spend; undefined when there is none. */
  next(left: number): Move | undefined {
    const restart = this.entered.length + 1
    let best: { move: Move; worth: number } | undefined
    for (const known of this.#known.values()) {
      if (known.path.length >= this.#quest.max_depth || !this.#mayEnter(known.place)) continue
      for (const way of known.place.ways) {
        if (this.#tries.has(edge(known.place.id, way.key))) continue
        if (this.#isBlind(known, way) || this.#isMore(known, way)) continue
        const move = this.#moveTo(known, way, restart)
        if (move.cost > left) continue
        const worth = this.#worth(known, way) - move.cost * costWeight
        if (best === undefined || worth > best.worth) best = { move, worth }
      }
    }
    return best?.move
  }

  #mayEnter({ app }: Place): boolean {
    return this.#quest.apps.includes(app)
  }

  #learn(place: Place, path: readonly Affordance[], parent: string | undefined): void {
    const before = this.#known.get(place.id)
    if (before !== undefined && before.path.length <= path.length) return
    this.#known.set(place.id, { place, path, parent })
  }

  #moveTo({ place, path }: Known, way: Affordance, restart: number): Move {
    const { id: from } = place
    if (from === this.#at) return { from, way, path, travel: 'here', cost: 1 }
    const here = this.#at === undefined ? undefined : this.#known.get(this.#at)
    const last = here?.path.at(-1)
    if (here?.parent === from && last?.kind === 'tap') {
      return { from, way, path, travel: 'back', cost: 2 }
    }
    return { from, way, path, travel: 'anew', cost: restart + path.length + 1 }
  }

  /** What it says itself counts most, then what led there; near things come before far ones. */
  #worth({ path }: Known, way: Affordance): number {
    const { wanted } = this.#quest
    const own = overlap(wanted, wordsOf(way.label))
    const led = Math.max(0, ...path.map(({ label }) => overlap(wanted, wordsOf(label))))
    const onwards = way.kind === 'scroll' ? scrollWorth : 0
    return own * ownWeight + led * ledWeight + onwards - path.length
  }

  /**
   * Beyond the first screen only what speaks of the goal is tried, or what opens more of the same screen: the deeper
   * one is, the likelier it is that a touch does something instead of leading somewhere.
   */
  #isBlind({ path }: Known, { kind, label }: Affordance): boolean {
    if (kind === 'scroll' || path.every((way) => way.kind === 'scroll')) return false
    return overlap(this.#quest.wanted, wordsOf(label)) === 0 && !OPENS.test(label)
  }

  /** One more of a list whose entries, as two of them showed, all lead to the same kind of screen. */
  #isMore({ place }: Known, way: Affordance): boolean {
    if (way.kind !== 'tap' || overlap(this.#quest.wanted, wordsOf(way.label)) > 0) return false
    const shapes = place.ways
      .filter(({ family, key }) => family === way.family && key !== way.key)
      .map(({ key }) => this.#tries.get(edge(place.id, key))?.to)
      .flatMap((to) => this.#known.get(to ?? '')?.place.shape ?? [])
    return shapes.length >= 2 && new Set(shapes).size === 1
  }
}

const OPENS =
  /^(?:\+|new|add|create|compose|edit|change|neu|neue|neuer|neues|bearbeiten|ändern|more|menu|options|settings|preferences|advanced|overview|mehr|weitere|menü|optionen|einstellungen|erweitert)(?![\p{L}\p{N}])/iu

const ownWeight = 6
const ledWeight = 3
const scrollWorth = 0.5
const costWeight = 0.25

const edge = (from: string, key: string): string => `${from} ${key}`
