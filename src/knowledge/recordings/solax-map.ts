import type { CompareMap } from '@apprentice/contracts/devices/compare.ts'

export const SOLAX_PACKAGE = 'com.solaxcloud.starter'

/** The four checkpoints that existing skills for this app report. */
export const SOLAX_MAP: CompareMap = {
  checkpoints: [
    {
      checkpointId: 'app_opened',
      match: { eventType: 'window_change', packageName: SOLAX_PACKAGE, pick: 'first' },
    },
    {
      checkpointId: 'discharge_to_row_focused',
      match: { eventType: 'click', text: 'discharge', pick: 'first' },
    },
    { checkpointId: 'target_text_entered', match: { eventType: 'text_change', pick: 'last' } },
    {
      checkpointId: 'save_completed',
      match: { eventType: 'click', text: ['save', 'confirm'], pick: 'last' },
    },
  ],
}
