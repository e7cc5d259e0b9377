import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../failure/failure.ts'

/** The page that a browser shows after a sign-in. It contains nothing that the authorization server sent. */
export function formatSignInPage(outcome: ServerAuthStatus | Failure): string {
  const { title, text } = describeOutcome(outcome)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${title}</title>`,
    '<style>body{font-family:system-ui,sans-serif;margin:3rem auto;max-width:30rem;padding:0 1rem}</style>',
    `</head><body><h1>${title}</h1><p>${escapeHtml(text)}</p><p>You can close this window.</p></body></html>`,
  ].join('\n')
}

function describeOutcome(outcome: ServerAuthStatus | Failure): { title: string; text: string } {
  if (outcome instanceof Failure) return { title: 'Not signed in', text: outcome.message }
  const { auth_state, scopes_missing, last_auth_error_code } = outcome
  if (auth_state === 'healthy') return { title: 'Signed in', text: 'The server can be used now.' }
  return scopes_missing.length > 0 && last_auth_error_code === undefined
    ? { title: 'Signed in in part', text: `These scopes were not granted: ${scopes_missing.join(', ')}.` }
    : { title: 'Not signed in', text: `The sign-in ended with ${last_auth_error_code ?? auth_state}.` }
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
