import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'

type Target = Pick<ObservedActionEvent, 'app_family' | 'bundle_id' | 'window_title'>
type Scope = Pick<LearnSession, 'observation_mode' | 'target_app_whitelist'>

/** The whitelist applies to modes that observe outside the agent. Events without app, bundle and title are off target. */
export function isOnTarget(scope: Scope, event: Target): boolean {
  const watchesOutside = scope.observation_mode === 'outside_agent' || scope.observation_mode === 'mixed'
  if (!watchesOutside || scope.target_app_whitelist.length === 0) return true
  return scope.target_app_whitelist.some((entry) => matchesEntry(normalize(entry), event))
}

function matchesEntry(entry: string, { app_family, bundle_id, window_title }: Target): boolean {
  if (entry === '') return false
  return (
    (app_family !== undefined && normalize(app_family) === entry) ||
    (bundle_id !== undefined && normalize(bundle_id) === entry) ||
    (window_title !== undefined && containsWholeWord(normalize(window_title), entry))
  )
}

/** Whether the title contains the entry delimited by non-word characters. */
function containsWholeWord(title: string, entry: string): boolean {
  for (let at = title.indexOf(entry); at !== -1; at = title.indexOf(entry, at + 1)) {
    const before = title.slice(0, at)
    const after = title.slice(at + entry.length)
    if (!/[\p{L}\p{M}\p{N}]$/u.test(before) && !/^[\p{L}\p{M}\p{N}]/u.test(after)) return true
  }
  return false
}

export const normalize = (text: string): string =>
  text.normalize('NFC').toLowerCase().normalize('NFC').trim().replaceAll(/\s+/g, ' ')
