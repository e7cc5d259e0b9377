import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { UiNode } from '../../screen/tree/hierarchy.ts'
import { resolveTarget } from '../../screen/matcher.ts'
import type { ScreenReading } from './screen-reading.ts'

/** The nodes an execution may touch to dismiss obstructions, and how often it touched each. */
export class Dismissals {
  readonly #known: readonly { readonly matcher: NodeMatcher; touches: number }[]

  constructor(matchers: readonly NodeMatcher[]) {
    this.#known = matchers.map((matcher) => ({ matcher, touches: 0 }))
  }

  /** Whether any node may still be touched. */
  get any(): boolean {
    return this.#known.some(({ touches }) => touches < MAX_TOUCHES)
  }

  /** The first node on this screen that may still be touched. Counts it as touched. */
  take({ hierarchy }: ScreenReading): UiNode | undefined {
    for (const dismissal of this.#known) {
      if (dismissal.touches >= MAX_TOUCHES) continue
      const resolution = resolveTarget(hierarchy, { matcher: dismissal.matcher })
      if (resolution.kind !== 'found') continue
      dismissal.touches += 1
      return resolution.node
    }
    return undefined
  }
}

const MAX_TOUCHES = 2
