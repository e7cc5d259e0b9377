import { z } from 'zod'

/** What actions of a kind require. */
export const Capability = z.enum(['observe', 'navigate', 'click', 'long_click', 'type_text', 'toggle', 'purchase_risk'])
export type Capability = z.infer<typeof Capability>
