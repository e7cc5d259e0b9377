import type { SafeTarget, TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { z } from 'zod'

export type TargetKind = z.infer<typeof SafeTarget>['target_kind']

/** The kinds of safe target that each mode accepts. Modes that are not listed take no safe target. */
export const ALLOWED_TARGET_KINDS: Readonly<Partial<Record<TestPolicy['mode'], readonly TargetKind[]>>> = {
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
