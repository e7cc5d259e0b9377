import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { type Bits, dropBit, joinInto, makeBits, putBit } from './bits.ts'
import { laneOf, standingCount } from './score-table.ts'
import type { LookupAbility } from './scorer.ts'

/** What is open is kept for this many who ask. */
const mostKept = 256

/** What of an ability its place depends on. */
export interface Placed {
  readonly ability: Pick<
    LookupAbility,
    'ability_id' | 'owner_user_id' | 'visibility' | 'project_scopes'
  >
  readonly standing: number
}

/** Abilities of one standing, in the order of their ids. */
export interface RankedSlots {
  readonly standing: number
  readonly slots: number[]
}

/** Whose shelves hold what is in the private lane and open to all. No user is called so. */
const everybody = ''

/** Abilities by standing, those that are private by owner too, by project, and in the order of their ids. */
export class Arrangement {
  /** Slots are below it. */
  readonly room: number
  readonly ranks: Int32Array
  readonly standings: Uint8Array
  readonly #placed: (Placed | undefined)[]
  #order: number[]
  readonly #shared = Array.from({ length: standingCount }, (_, standing) => emptySlots(standing))
  /** The abilities of each lane that is not private. */
  readonly #lanes = new Map<OpenLane, Bits>()
  readonly #private = new Map<string, RankedSlots[]>()
  readonly #projects = new Map<string, number[]>()
  /** Forgotten with every change. */
  readonly #open = new Map<string, Bits>()

  /** Has room for some more. */
  constructor(all: readonly (Placed | undefined)[]) {
    this.room = Math.ceil(all.length * 1.1) + 64
    this.ranks = new Int32Array(this.room)
    this.standings = new Uint8Array(this.room)
    this.#placed = [...all]
    const ids = all.map((placed) => placed?.ability.ability_id ?? '')
    this.#order = [...all.keys()].filter((slot) => all[slot] !== undefined)
    this.#order.sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
    this.#number(0)
    for (const slot of this.#order) {
      const placed = all[slot]
      if (placed !== undefined) this.#shelve(slot, placed)
    }
  }

  /** An ability that is new, or stands otherwise than before. */
  put(slot: number, placed: Placed): void {
    const before = this.#placed[slot]
    if (before === undefined) this.#insert(slot, placed.ability.ability_id)
    else this.#unshelve(slot, before)
    this.#placed[slot] = placed
    this.#shelve(slot, placed)
  }

  drop(slot: number): void {
    const before = this.#placed[slot]
    if (before === undefined) return
    this.#unshelve(slot, before)
    this.#placed[slot] = undefined
    const at = this.ranks[slot] ?? 0
    this.#order.splice(at, 1)
    this.#number(at)
  }

  /** What somebody may find in these lanes. What is private is its owner's alone. */
  shelvesFor(caller: string, lanes: ReadonlySet<OpenLane>): RankedSlots[] {
    return [...this.#shared, ...this.#privateFor(caller)].filter(({ standing }) =>
      lanes.has(laneOf(standing)),
    )
  }

  /** The same, all shelves together. Nobody may change it: it is kept for the next time. */
  openTo(caller: string, lanes: ReadonlySet<OpenLane>): Bits {
    const asked = [caller, ...lanes].join('\n')
    const known = this.#open.get(asked)
    if (known !== undefined) return known
    if (this.#open.size >= mostKept) this.#open.clear()
    const open = this.#opening(caller, lanes)
    this.#open.set(asked, open)
    return open
  }

  #opening(caller: string, lanes: ReadonlySet<OpenLane>): Bits {
    const open = makeBits(this.room)
    for (const [lane, bits] of this.#lanes) if (lanes.has(lane)) joinInto(open, { bits })
    if (!lanes.has('experimental_private')) return open
    for (const { slots } of this.#privateFor(caller)) joinInto(open, { list: slots })
    return open
  }

  inProject(project: string): readonly number[] {
    return this.#projects.get(project) ?? []
  }

  #insert(slot: number, id: string): void {
    const idAt = (at: number) => this.#placed[this.#order[at] ?? -1]?.ability.ability_id ?? ''
    const at = firstFrom(this.#order.length, (n) => idAt(n) > id)
    this.#order.splice(at, 0, slot)
    this.#number(at)
  }

  #number(from: number): void {
    for (let at = from; at < this.#order.length; at += 1) this.ranks[this.#order[at] ?? 0] = at
  }

  #shelve(slot: number, placed: Placed): void {
    this.#open.clear()
    const lane = laneOf(placed.standing)
    this.standings[slot] = placed.standing
    if (lane !== 'experimental_private') putBit(this.#bitsOf(lane), slot)
    for (const list of this.#listsOf(placed)) list.splice(this.#placeIn(list, slot), 0, slot)
  }

  #unshelve(slot: number, placed: Placed): void {
    this.#open.clear()
    const lane = laneOf(placed.standing)
    if (lane !== 'experimental_private') dropBit(this.#bitsOf(lane), slot)
    for (const list of this.#listsOf(placed)) list.splice(this.#placeIn(list, slot), 1)
  }

  /** Where an ability is in a list, or would be. */
  #placeIn(list: readonly number[], slot: number): number {
    const rank = this.ranks[slot] ?? 0
    const rankAt = (at: number) => this.ranks[list[at] ?? 0] ?? 0
    if (list.length === 0 || rankAt(list.length - 1) < rank) return list.length
    return firstFrom(list.length, (at) => rankAt(at) >= rank)
  }

  /** Every list an ability stands in. */
  #listsOf(placed: Placed): number[][] {
    const { project_scopes } = placed.ability
    const isPrivate = laneOf(placed.standing) === 'experimental_private'
    const shelf = isPrivate ? this.#ownShelf(placed) : this.#shared[placed.standing]
    const lists = shelf === undefined ? [] : [shelf.slots]
    if (project_scopes.length === 0) return lists
    return [...lists, ...Array.from(new Set(project_scopes), (project) => this.#listOf(project))]
  }

  #privateFor(caller: string): RankedSlots[] {
    return [everybody, caller].flatMap((owner) => this.#private.get(owner) ?? [])
  }

  #ownShelf({ ability, standing }: Placed): RankedSlots {
    const owner = ability.visibility === 'workspace' ? everybody : ability.owner_user_id
    let own = this.#private.get(owner)
    if (own === undefined) this.#private.set(owner, (own = []))
    let shelf = own.find((known) => known.standing === standing)
    if (shelf === undefined) own.push((shelf = emptySlots(standing)))
    return shelf
  }

  #bitsOf(lane: OpenLane): Bits {
    let bits = this.#lanes.get(lane)
    if (bits === undefined) this.#lanes.set(lane, (bits = makeBits(this.room)))
    return bits
  }

  #listOf(project: string): number[] {
    let slots = this.#projects.get(project)
    if (slots === undefined) this.#projects.set(project, (slots = []))
    return slots
  }
}

const emptySlots = (standing: number): RankedSlots => ({ standing, slots: [] })

/** The first of `count` places from which on something holds; `count` when it holds nowhere. */
function firstFrom(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
