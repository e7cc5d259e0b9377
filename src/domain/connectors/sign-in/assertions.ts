import type { AuthProfileRow } from '../../../store/connectors/auth-profiles.ts'
import { findEntry } from '../../../store/connectors/vault.ts'
import type { Reader } from '../../../store/db/db.ts'

/**
 * The secret under which a service stores the token that it got from a person, so that the daemon may act for that person
 * (on-behalf-of).
 */
export const formatAssertionRef = (authProfileId: string): string => `secret:assertion.${authProfileId}`

const REFUSALS: ReadonlySet<string> = new Set(['invalid_grant', 'interaction_required', 'consent_required'])

/** Whether there is an assertion that was not refused yet. */
export function hasUsableAssertion(reader: Reader, profile: AuthProfileRow): boolean {
  if (profile.auth_mode !== 'oauth2_on_behalf_of') return false
  const entry = findEntry(reader, formatAssertionRef(profile.auth_profile_id))
  if (entry === undefined) return false
  const wasRefused = REFUSALS.has(profile.last_auth_error_code ?? '')
  return !wasRefused || entry.updated_at > profile.updated_at
}
