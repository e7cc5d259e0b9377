import type { SafeTarget, TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { z } from 'zod'

export type TargetKind = z.infer<typeof SafeTarget>['target_kind']

/** Modes that change something must be told what they may change. */
export const fittingKinds: Readonly<Partial<Record<TestPolicy['mode'], readonly TargetKind[]>>> = {
  blank_artifact: ['blank_document', 'blank_project'],
  copy_artifact: ['copied_document'],
  redirect_send: ['safe_email_recipient'],
  safe_target_only: [
    'temp_folder',
    'blank_document',
    'copied_document',
    'blank_project',
    'safe_email_recipient',
    'managed_browser_profile',
    'test_sharepoint_site',
  ],
  live_read_safe_write: [
    'temp_folder',
    'blank_document',
    'copied_document',
    'blank_project',
    'managed_browser_profile',
    'test_sharepoint_site',
  ],
}
