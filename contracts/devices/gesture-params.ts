import { z } from 'zod'
import { ContainerMatcher, NodeMatcher } from './matcher.ts'
import { inRange, integerIn } from './param-rules.ts'
import { RETRY_PRESETS, Retry } from './retry.ts'

export const Direction = z.enum(['down', 'up', 'left', 'right'])
export type Direction = z.infer<typeof Direction>

export const Coordinate = z.strictObject({ x: z.int().min(0), y: z.int().min(0) })

/**
 * An extension of the specified action types. A swipe goes from one point to another, across the entry of a node in a
 * direction, or from a node to another one.
 */
export const SwipeParams = z
  .strictObject({
    from: Coordinate.optional(),
    to: Coordinate.optional(),
    matcher: NodeMatcher.optional().describe('The node to swipe, instead of from and to'),
    container: ContainerMatcher.optional(),
    strict: z.boolean().optional().describe('More than one match is an error'),
    direction: Direction.optional().describe('Where the finger moves, across the list entry of the node'),
    distanceRatio: inRange(0.05, 1, 'swipe params.distanceRatio must be in [0.05, 1.0]')
      .optional()
      .describe('How far, as a share of the list entry; by default 0.6'),
    onto: NodeMatcher.optional().describe('The node to drag the matched one to'),
    hold: z.boolean().optional().describe('Press for a moment before moving, as needed to pick something up'),
    durationMs: integerIn(50, 5000, 'swipe params.durationMs').default(300),
    retry: Retry.default(RETRY_PRESETS.None),
  })
  .superRefine(({ from, to, matcher, direction, onto, distanceRatio, container }, ctx) => {
    const refuse = (message: string, key?: string) =>
      ctx.addIssue({ code: 'custom', message, ...(key !== undefined && { path: [key] }) })
    if (matcher !== undefined) {
      if (from !== undefined || to !== undefined) refuse('swipe params.matcher takes no params.from and params.to')
      else if ((direction === undefined) === (onto === undefined)) {
        refuse('swipe params.matcher requires either params.direction or params.onto')
      }
    } else if ([direction, onto, distanceRatio, container].some((one) => one !== undefined)) {
      refuse('swipe requires params.matcher', 'matcher')
    } else if (from === undefined) refuse('swipe requires params.from', 'from')
    else if (to === undefined) refuse('swipe requires params.to', 'to')
    else if (from.x === to.x && from.y === to.y) {
      refuse('swipe params.from and params.to must be different points')
    }
  })
