import type { Action } from '../documents/app-action.ts'
import { toNumber } from '../documents/evaluation.ts'
import { runActions } from '../model/actions.ts'
import type { AppContext } from '../model/scope.ts'
import type { ScrollControl } from '../model/view.ts'

interface ScrollOptions {
  readonly key: string
  readonly axis: 'vertical' | 'horizontal'
  /** Run when the end is reached. */
  readonly onEnd?: readonly Action[] | undefined
  readonly printed?: ScrollControl['printed']
}

/** The positions inside the window: scroll offsets, opened rows, displayed months. */
export function readPositions({ dialog, screen }: AppContext): Map<string, number> {
  return (dialog ?? screen)?.scrolls ?? new Map<string, number>()
}

/** A control that scrolls freely. */
export function createScrollControl(context: AppContext, options: ScrollOptions): ScrollControl {
  const { key, axis, onEnd, printed = 'overflow' } = options
  const positions = readPositions(context)
  const control: ScrollControl = {
    axis,
    offset: toNumber(positions.get(key)),
    limit: 0,
    printed,
    move: (by) => {
      const offset = Math.min(control.limit, Math.max(0, control.offset + Math.round(by)))
      positions.set(key, offset)
      if (by > 0 && offset === control.limit) runActions(context, onEnd ?? [])
    },
  }
  return control
}

/** A control that rests only at its two ends. Layout limits the offset. */
export function createSnapControl(context: AppContext, key: string): ScrollControl {
  const positions = readPositions(context)
  return {
    axis: 'horizontal',
    offset: toNumber(positions.get(key)),
    limit: 0,
    printed: 'never',
    move: (by) => {
      positions.set(key, by > 0 ? Number.MAX_SAFE_INTEGER : 0)
    },
  }
}
