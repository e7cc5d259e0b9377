import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { UiNode } from '../../screen/hierarchy.ts'
import { resolveTarget } from '../../screen/matcher.ts'
import type { ScreenReading } from './screen-reading.ts'

/** What an execution may touch to get something out of its way, and how often it did. */
export class Dismissals {
  readonly #known: readonly { readonly matcher: NodeMatcher; touches: number }[]

  constructor(matchers: readonly NodeMatcher[]) {
    this.#known = matchers.map((matcher) => ({ matcher, touches: 0 }))
  }

  /** Whether any may still be touched. */
  get any(): boolean {
    return this.#known.some(({ touches }) => touches < MAX_TOUCHES)
  }

  /** The first on this screen that may still be touched; it counts as touched from now on. */
  take({ hierarchy }: ScreenReading): UiNode | undefined {
    for (const dismissal of this.#known) {
      if (dismissal.touches >= MAX_TOUCHES) continue
      const there = resolveTarget(hierarchy, { matcher: dismissal.matcher })
      if (there.kind !== 'found') continue
      dismissal.touches += 1
      return there.node
    }
    return undefined
  }
}

const MAX_TOUCHES = 2
