import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const TESTS = join(import.meta.dirname, '..')

/** The acceptance rows about connectors, and the test of each: its file, and words of its title. */
const ROWS: readonly (readonly [row: string, file: string, title: string])[] = [
  ['mcp_named_responses_consistent', 'connectors/routes', 'mcp_named_responses_consistent'],
  ['mcp_shared_auth_profile_delete_blocked', 'connectors/registry', 'mcp_shared_auth_profile_delete_blocked'],
  ['mcp_server_delete_retains_shared_profile', 'connectors/registry', 'mcp_server_delete_retains_shared_profile'],
  ['mcp_ask_first_resume_correlation', 'connectors/ask-first', 'mcp_ask_first_resume_correlation'],
  ['mcp_server_list_badge_truth', 'connectors/badges', 'mcp_server_list_badge_truth'],
  ['m365_auto_refresh_once', 'connectors/m365/dispatch', 'm365_auto_refresh_once'],
  ['m365_auto_refresh_once, tools', 'connectors/calls', 'm365_auto_refresh_once'],
  ['acrobat_health_blocks_buttons', 'pages/documents', 'acrobat_health_blocks_buttons'],
  ['acrobat_health_blocks_buttons, routes', 'documents/health', 'acrobat_health_blocks_buttons'],
  ['acrobat_redaction_prep_ask_first', 'documents/approvals', 'acrobat_redaction_prep_ask_first'],
  ['R11.2-39', 'connectors/m365/registration', 'with api_key is rejected at registration'],
  ['R11.2-40', 'connectors/m365/dispatch', 'R11.2-40'],
  ['21', 'connectors/policy', 'writing is asked first by default'],
  ['22', 'connectors/policy', 'a disabled provider beats an enabled tool'],
  ['23', 'connectors/policy', 'an enabled tool does not lift ask_first of its server'],
  ['24', 'connectors/ask-first', 'a grant never lifts a policy that switches a tool off'],
  ['25', 'connectors/sign-in', 'a state is good once, for its server, for ten minutes'],
  ['25, refusal', 'connectors/sign-in', 'a refusal of the person is recorded'],
  ['25, scopes', 'connectors/sign-in', 'scopes that were not granted are named'],
  ['26', 'connectors/sign-in', 'a callback with parameters that nobody asked for works'],
  ['27', 'connectors/tokens', 'force does not lift the policy of the profile'],
  ['28', 'connectors/ask-first', 'it stays visible for a day and cannot be approved'],
  ['29', 'connectors/smoke-test', 'three failures degrade a server, throttling does not'],
  ['30, shape', 'connectors/smoke-test', 'tools are listed, the protocol is recorded'],
  ['30, write', 'connectors/smoke-test', 'a tool that may write, or is not supported, is never called'],
  ['31', 'connectors/calls', 'opens a challenge, which a person answers'],
  ['32', 'connectors/registry', 'the address of cloud metadata'],
  ['33', 'connectors/smoke-test', 'a server whose tools changed is degraded'],
  ['34', 'connectors/vault', 'the text of tokens, codes and secrets is in no file'],
  ['34, calls', 'connectors/kept-texts', 'what calls send, get and sign in with'],
  ['35', 'connectors/calls', 'a server that is not active in this build is not callable'],
  ['36', 'connectors/calls', 'receipts name whom the server was told to act for'],
  ['37', 'connectors/m365/registration-check', 'additional test 37'],
  ['37, reply', 'connectors/m365/registration', 'additional test 37'],
  ['38', 'connectors/m365/requests', 'additional test 38'],
  ['39', 'connectors/m365/registration', 'additional test 39'],
  ['40', 'connectors/m365/teams', 'additional test 40'],
  ['41, reference', 'documents/requests', '41. a reference like a path is refused'],
  ['41, route', 'documents/requests', '41. a capability that is not that of the route'],
  ['41, approval', 'documents/approvals', '41. a denied redaction never runs'],
  ['46', 'intents/intents', 'a connector policy is loosened only by an administrator'],
  ['47', 'projects/project-resolver', 'projects with the policies %s and %s'],
  ['53', 'http/access', 'without any token every request is refused with AUTH_UNAVAILABLE'],
  ['59', 'pages/connectors', 'a throttled server does not look degraded'],
  ['60', 'contracts', 'every control of the pages has a route'],
  ['tool namespacing', 'mcp/connectors', 'under names of their own'],
  ['project ambiguity', 'projects/project-resolver', 'breaks no tie'],
  ['MCP throttle/backoff', 'connectors/connection-health', 'the pause doubles with every throttled contact'],
  ['auth expiry', 'connectors/calls', 'an expired token that may not be refreshed by itself'],
  ['configuration-intent enforcement', 'connectors/policy', 'what intents restrict holds for calls'],
  ['receipt correlation ids', 'connectors/calls', 'leaves a receipt with identity and correlation id'],
]

test.each(ROWS)('acceptance row %s is tested in %s', (_row, file, title) => {
  expect(readFileSync(join(TESTS, `${file}.test.ts`), 'utf8')).toContain(title)
})
