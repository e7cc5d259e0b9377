import { z } from 'zod'

/** `[left, top, right, bottom]` in pixels; null if the dump has no valid rectangle. */
export const ElementBounds = z.tuple([z.int(), z.int(), z.int(), z.int()])
export type ElementBounds = z.infer<typeof ElementBounds>

export const ElementRole = z.enum([
  'slider',
  'stepper',
  'dropdown',
  'segmented_control',
  'switch',
  'checkbox',
  'radio',
  'text_field',
  'button',
  'image',
  'container',
])
export type ElementRole = z.infer<typeof ElementRole>

/** The best single selector of an element, and its reliability on this screen. */
export const ElementSelector = z.object({
  value: z.string(),
  source: z.enum(['resource_id', 'content_description', 'text', 'class']),
  confidence: z.number().min(0).max(1),
  reason: z.enum(['resource_id', 'content_description', 'text_match', 'class_match', 'non_unique']),
  matches: z.int().min(1).describe('The number of elements on this screen with this value'),
})
export type ElementSelector = z.infer<typeof ElementSelector>

/** Hints derived from the class name, not guarantees. */
export const ElementSemantic = z.object({
  is_clickable: z.boolean(),
  is_container: z.boolean(),
  semantic_role: z.enum(['slider', 'stepper', 'dropdown', 'segmented_control']).optional(),
  adjustable: z.literal(true).optional(),
  supported_actions: z.array(z.enum(['tap', 'adjust', 'increment', 'decrement', 'expand'])).optional(),
  state_shape: z.enum(['continuous', 'discrete', 'semantic']).optional(),
})
export type ElementSemantic = z.infer<typeof ElementSemantic>

/** The state reported by the platform. An absent key means unknown, not false. */
export const ElementState = z.object({
  enabled: z.boolean().optional(),
  focused: z.boolean().optional(),
  selected: z.boolean().optional(),
  checked: z.boolean().optional(),
  expanded: z.boolean().optional(),
  text_value: z.string().optional(),
  value: z.number().optional(),
})
export type ElementState = z.infer<typeof ElementState>

export const SnapshotElement = z
  .object({
    index: z.int().min(0).describe('Position in the full list of elements'),
    node_path: z.string(),
    depth: z.int().min(0),
    parent_index: z.int().min(0).nullable(),
    children: z.array(z.int().min(0)),
    text: z.string().nullable(),
    content_description: z.string().nullable(),
    resource_id: z.string().nullable(),
    type: z.string().nullable().describe('Full class name'),
    package: z.string().nullable(),
    label: z.string(),
    clickable: z.boolean(),
    long_clickable: z.boolean(),
    checkable: z.boolean(),
    focusable: z.boolean(),
    scrollable: z.boolean(),
    password: z.boolean(),
    enabled: z.boolean(),
    visible: z.boolean(),
    bounds: ElementBounds.nullable(),
    center: z.tuple([z.int(), z.int()]).nullable(),
    role: ElementRole.nullable(),
    matcher_role: z.string().describe('The role value that a matcher uses for this element'),
    stable_id: z.string().nullable(),
    test_tag: z.string().nullable(),
    selector: ElementSelector.nullable(),
    semantic: ElementSemantic,
    state: ElementState,
  })
  .meta({ id: 'SnapshotElement' })
export type SnapshotElement = z.infer<typeof SnapshotElement>

/** A sign that the screen is still loading. Its absence or end alone does not prove success. */
export const LoadingState = z.object({
  active: z.literal(true),
  signal: z.enum(['progress_indicator', 'busy_indicator', 'skeleton', 'loading_indicator']),
  source: z.literal('ui_tree'),
  confidence: z.number().min(0).max(1),
})
export type LoadingState = z.infer<typeof LoadingState>

export const RevisionReason = z.enum(['first', 'screen', 'structure', 'text', 'state'])
export type RevisionReason = z.infer<typeof RevisionReason>

/** Hashes of different aspects of a screen. */
export const ScreenDigests = z.object({
  screen: z.string().describe('Activity, package and window'),
  structure: z.string().describe('Nodes and their positions on a 4 px grid'),
  text: z.string().describe('Labels, without clock times and dates'),
  masked_text: z.string().describe('Labels, without counters and timers'),
  state: z.string().describe('Checked, selected, enabled, expanded and values; not focus'),
})
export type ScreenDigests = z.infer<typeof ScreenDigests>

export const Snapshot = z
  .object({
    snapshot_revision: z.int().min(1),
    revision_reason: RevisionReason.nullable().describe('Null if nothing changed'),
    captured_at: z.iso.datetime(),
    captured_at_ms: z.number().describe('The start of the dump; the content may be as old as this'),
    dump_started_ms: z.number(),
    dump_finished_ms: z.number(),
    serial: z.string(),
    activity: z.string().nullable(),
    package: z.string().nullable(),
    rotation: z.int().min(0).max(3),
    resolution: z.object({ width: z.int(), height: z.int() }).nullable(),
    removed_characters: z.int().min(0),
    loading_state: LoadingState.nullable(),
    fingerprint: z.string(),
    screen_id: z.string(),
    content_hash: z.string(),
    digests: ScreenDigests,
    elements: z.array(SnapshotElement),
  })
  .meta({ id: 'Snapshot' })
export type Snapshot = z.infer<typeof Snapshot>

/** A reference to an element of an earlier snapshot. */
export const ElementRef = z.object({
  snapshot_revision: z.int().min(1),
  node_path: z.string(),
  stable_id: z.string().nullable(),
  role: z.string(),
  label: z.string(),
  bounds: ElementBounds.nullable(),
})
export type ElementRef = z.infer<typeof ElementRef>

/** The last good reading of a device within one session, which the next revision is compared with. */
export const RevisionState = z.object({ revision: z.int().min(1), digests: ScreenDigests })
export type RevisionState = z.infer<typeof RevisionState>

export const ElementOutline = z.object({
  node_path: z.string(),
  label: z.string(),
  type: z.string().nullable(),
  resource_id: z.string().nullable(),
  role: z.string(),
  bounds: ElementBounds.nullable(),
})
export type ElementOutline = z.infer<typeof ElementOutline>

const change = <T extends z.ZodType>(of: T) => z.object({ before: of, after: of }).optional()

export const ElementChange = z.object({
  before_path: z.string(),
  element: ElementOutline.describe('The current element'),
  text: change(z.string().nullable()),
  content_description: change(z.string().nullable()),
  checked: change(z.boolean().nullable()),
  enabled: change(z.boolean()),
  selected: change(z.boolean().nullable()),
})
export type ElementChange = z.infer<typeof ElementChange>

export const SnapshotDiff = z
  .object({
    screen_changed: z.boolean().describe('Another activity, or another screen of the same activity'),
    activity: z.object({ before: z.string().nullable(), after: z.string().nullable() }),
    added: z.array(ElementOutline),
    removed: z.array(ElementOutline),
    changed: z.array(ElementChange),
    scrolled: z.array(
      z.object({
        container: ElementOutline,
        dx: z.int(),
        dy: z.int().describe('Negative if the content moved up'),
        moved: z.int().min(1).describe('The number of elements that moved by this distance'),
      }),
    ),
    empty: z.boolean(),
  })
  .meta({ id: 'SnapshotDiff' })
export type SnapshotDiff = z.infer<typeof SnapshotDiff>
