import type { UiNode } from '../../../screen/hierarchy.ts'
import { nodesAt, type Place, type Shown } from './matching.ts'
import type { Move } from './move.ts'
import { isData, rowsUnder } from './rows.ts'
import { isSameKind, type Screen } from './screen.ts'
import { shownWords, speakingNodes } from './words.ts'

/** Every screen that was seen, each state once. */
export class ScreenIndex {
  readonly screens: readonly Screen[]
  readonly #kin = new Map<Screen, readonly Screen[]>()

  constructor(moves: readonly Move[]) {
    const byState = new Map<string, Screen>()
    for (const { before, at_once, after } of moves) {
      for (const screen of [before, at_once, after]) {
        if (screen === undefined || screen.is_loading) continue
        const key = `${screen.package} ${screen.state}`
        if (!byState.has(key)) byState.set(key, screen)
      }
    }
    this.screens = [...byState.values()]
  }

  /** What the entries of lists say, which is nobody's to repeat. */
  get entry_words(): ReadonlySet<string> {
    const words = new Set<string>()
    for (const { nodes } of this.screens) {
      for (const row of rowsUnder(nodes)) {
        if (isData(row)) for (const cell of speakingNodes(row.node)) words.add(shownWords(cell))
      }
    }
    return words
  }

  /** Names this node here, and never two things on any screen of the kind. */
  isUnique(place: Place, node: UiNode, screen: Screen, shown: Shown): boolean {
    const here = nodesAt(screen, place, shown)
    if (here.length !== 1 || here[0] !== node) return false
    return this.#kinOf(screen).every((other) => nodesAt(other, place, shown).length <= 1)
  }

  /** Names nothing on screens of other kinds, so that it cannot be mistaken there. */
  isFoundOnlyOn(screen: Screen, place: Place, shown: Shown): boolean {
    const kin = this.#kinOf(screen)
    return this.screens.every(
      (other) => kin.includes(other) || nodesAt(other, place, shown).length === 0,
    )
  }

  countUnique(place: Place, screen: Screen, shown: Shown): number {
    return this.#kinOf(screen).filter((other) => nodesAt(other, place, shown).length === 1).length
  }

  /** The screens of the same kind. */
  #kinOf(screen: Screen): readonly Screen[] {
    const known = this.#kin.get(screen)
    if (known !== undefined) return known
    const kin = this.screens.filter((other) => isSameKind(other, screen))
    this.#kin.set(screen, kin)
    return kin
  }
}
