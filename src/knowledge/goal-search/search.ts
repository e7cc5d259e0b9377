import type { Affordance } from './affordances.ts'
import { measureCoverage, splitWords } from './goal/words.ts'
import { isOpeningLabel } from './opening-labels.ts'

/** A screen as the search stores it. */
export interface Place {
  readonly id: string
  /** Identifies the kind of screen, independent of its content. */
  readonly shape: string
  readonly app: string
  readonly title: string
  readonly ways: readonly Affordance[]
}

/** A place on a path. When its content has changed, its shape and title identify it. */
export type Stop = Pick<Place, 'id' | 'shape' | 'title' | 'app'>

/** A way that was tried, and the place it led to. */
export interface SearchTry {
  readonly from: string
  readonly key: string
  /** Absent when the screen could not be read or belongs to an app that may not be entered. */
  readonly to?: string | undefined
}

export interface SearchOptions {
  readonly goal_words: readonly string[]
  readonly apps: readonly string[]
  readonly max_depth: number
}

/** The next way to try, and how to reach its screen. */
export interface Move {
  readonly from: string
  readonly way: Affordance
  /** The ways from the start to `from`. */
  readonly path: readonly Affordance[]
  readonly travel: 'here' | 'back' | 'restart'
  /** The number of actions it takes. */
  readonly cost: number
}

interface KnownPlace {
  readonly place: Place
  readonly path: readonly Affordance[]
  /** The place before it on the shortest known path. */
  readonly parent?: string | undefined
}

/**
 * A systematic search over screens. It is deterministic: the same places and tries in the same order give the same
 * next move. It tries no way twice and enters only allowed apps.
 */
export class Search {
  readonly #options: SearchOptions
  readonly #known = new Map<string, KnownPlace>()
  readonly #tries = new Map<string, SearchTry>()
  #at: string | undefined

  constructor(quest: SearchOptions) {
    this.#options = quest
  }

  get placeCount(): number {
    return this.#known.size
  }

  get tryCount(): number {
    return this.#tries.size
  }

  get position(): string | undefined {
    return this.#at
  }

  /** The app was restarted and shows this place. */
  startAt(place: Place): void {
    this.#addPlace(place, [], undefined)
    this.#at = place.id
  }

  /** Sets the current position after a reading. An unknown place clears it. */
  setPosition(place: Place | undefined): void {
    this.#at = place !== undefined && this.#known.has(place.id) ? place.id : undefined
  }

  /** Records the result of a move. A place outside the allowed apps is recorded without a target. */
  recordTry({ from, way, path }: Pick<Move, 'from' | 'way' | 'path'>, to: Place | undefined): void {
    const entered = to !== undefined && this.#isAllowed(to) ? to : undefined
    this.#tries.set(formatTryKey(from, way.key), { from, key: way.key, to: entered?.id })
    if (entered !== undefined) this.#addPlace(entered, [...path, way], from)
    this.#at = entered?.id
  }

  findPath(id: string): readonly Affordance[] | undefined {
    return this.#known.get(id)?.path
  }

  /** The places on the shortest known path to a place, from the start. One more than the path has ways. */
  listStops(id: string): Stop[] {
    const stops: Stop[] = []
    for (let known = this.#known.get(id); known !== undefined; known = this.#known.get(known.parent ?? '')) {
      const { shape, title, app } = known.place
      stops.unshift({ id: known.place.id, shape, title, app })
    }
    return stops
  }

  /** A restart stops all of these. */
  get enteredApps(): readonly string[] {
    return [...new Set([...this.#known.values()].map(({ place }) => place.app))]
  }

  /** The untried move with the best score among those that cost at most `budget` actions. */
  findNextMove(budget: number): Move | undefined {
    const restart = this.enteredApps.length + 1
    let best: { move: Move; score: number } | undefined
    for (const known of this.#known.values()) {
      if (known.path.length >= this.#options.max_depth || !this.#isAllowed(known.place)) continue
      for (const way of known.place.ways) {
        if (this.#tries.has(formatTryKey(known.place.id, way.key))) continue
        if (this.#isOffTopic(known, way) || this.#isRedundant(known, way)) continue
        const move = this.#buildMove(known, way, restart)
        if (move.cost > budget) continue
        const score = this.#score(known, way) - move.cost * COST_WEIGHT
        if (best === undefined || score > best.score) best = { move, score }
      }
    }
    return best?.move
  }

  #isAllowed({ app }: Place): boolean {
    return this.#options.apps.includes(app)
  }

  #addPlace(place: Place, path: readonly Affordance[], parent: string | undefined): void {
    const before = this.#known.get(place.id)
    if (before !== undefined && before.path.length <= path.length) return
    this.#known.set(place.id, { place, path, parent })
  }

  #buildMove({ place, path }: KnownPlace, way: Affordance, restart: number): Move {
    const { id: from } = place
    if (from === this.#at) return { from, way, path, travel: 'here', cost: 1 }
    const here = this.#at === undefined ? undefined : this.#known.get(this.#at)
    const last = here?.path.at(-1)
    if (here?.parent === from && last?.kind === 'tap') {
      return { from, way, path, travel: 'back', cost: 2 }
    }
    return { from, way, path, travel: 'restart', cost: restart + path.length + 1 }
  }

  /** Goal words in the label of the way count most, then those on the path. Short paths come first. */
  #score({ path }: KnownPlace, way: Affordance): number {
    const { goal_words } = this.#options
    const own = measureCoverage(goal_words, splitWords(way.label))
    const onPath = Math.max(0, ...path.map(({ label }) => measureCoverage(goal_words, splitWords(label))))
    const scroll = way.kind === 'scroll' ? SCROLL_SCORE : 0
    return own * OWN_LABEL_WEIGHT + onPath * PATH_LABEL_WEIGHT + scroll - path.length
  }

  /**
   * Beyond the first screen only ways with goal words, or with a label such as "More", are tried: on deeper screens
   * a tap is more likely to change something than to navigate.
   */
  #isOffTopic({ path }: KnownPlace, { kind, label }: Affordance): boolean {
    if (kind === 'scroll' || path.every((way) => way.kind === 'scroll')) return false
    return measureCoverage(this.#options.goal_words, splitWords(label)) === 0 && !isOpeningLabel(label)
  }

  /** An entry of a list of which two other entries led to the same kind of screen. */
  #isRedundant({ place }: KnownPlace, way: Affordance): boolean {
    if (way.kind !== 'tap' || measureCoverage(this.#options.goal_words, splitWords(way.label)) > 0) return false
    const shapes = place.ways
      .filter(({ family, key }) => family === way.family && key !== way.key)
      .map(({ key }) => this.#tries.get(formatTryKey(place.id, key))?.to)
      .flatMap((to) => this.#known.get(to ?? '')?.place.shape ?? [])
    return shapes.length >= 2 && new Set(shapes).size === 1
  }
}

const OWN_LABEL_WEIGHT = 6
const PATH_LABEL_WEIGHT = 3
const SCROLL_SCORE = 0.5
const COST_WEIGHT = 0.25

const formatTryKey = (from: string, key: string): string => `${from} ${key}`
