import { expect, test } from 'vitest'
import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import { M365OperationFamily as Families } from '@apprentice/contracts/connectors/m365-families.ts'
import type { AuthMode } from '@apprentice/contracts/connectors/values.ts'
import {
  checkRegistration,
  formatRegistrationError,
  type RegistrationFacts,
} from '../../../src/knowledge/m365/registration-check.ts'
import { getScopeRule, hasScope, shortenScope } from '../../../src/knowledge/m365/scope-table.ts'

const MAIL: RegistrationFacts = {
  operation_families: ['outlook_mail_search'],
  interaction_mode: 'interactive_user',
  auth_mode: 'oauth2_delegated',
  redirect_uri: 'https://apprentice.example/callback',
  requested_scopes: [],
  profile_scopes: ['Mail.Read'],
  verified_obo_chain: false,
  allow_background_service_ops: false,
}
const BACKGROUND = { ...MAIL, interaction_mode: 'background_service', redirect_uri: undefined } as const

const check = (facts: RegistrationFacts, approved = {}): string[] =>
  checkRegistration(facts, approved).map(formatRegistrationError)

test.each<[string, RegistrationFacts, string[]]>([
  ['a person who signs in', MAIL, []],
  ['a person behind a verified chain', { ...MAIL, auth_mode: 'oauth2_on_behalf_of', verified_obo_chain: true }, []],
  ['a person behind another chain', { ...MAIL, auth_mode: 'oauth2_on_behalf_of' }, ['M365_OBO_CHAIN_UNVERIFIED']],
  [
    'a person without a page to return to',
    { ...MAIL, redirect_uri: undefined },
    ['M365_INTERACTIVE_REDIRECT_URI_REQUIRED'],
  ],
  [
    'a service with an allowed identity of its own',
    { ...BACKGROUND, auth_mode: 'oauth2_client_credentials', allow_background_service_ops: true },
    [],
  ],
  [
    'a service with an identity of its own',
    { ...BACKGROUND, auth_mode: 'oauth2_client_credentials' },
    ['M365_FORBIDDEN_AUTH_MODE'],
  ],
  ['a service with the token of a person', BACKGROUND, []],
  ['a service with an API key', { ...BACKGROUND, auth_mode: 'api_key' }, ['M365_FORBIDDEN_AUTH_MODE']],
  ['a service without a sign-in', { ...BACKGROUND, auth_mode: 'none' }, ['M365_FORBIDDEN_AUTH_MODE']],
  ['a scope of the server itself', { ...MAIL, profile_scopes: [], requested_scopes: ['mail.read'] }, []],
  ['a scope with the address of the API', { ...MAIL, profile_scopes: ['https://graph.microsoft.com/Mail.Read'] }, []],
  ['no scope', { ...MAIL, profile_scopes: ['Mail.ReadBasic'] }, ['M365_SCOPE_MISSING:Mail.Read']],
  [
    'a service that posts to Teams',
    { ...BACKGROUND, operation_families: ['teams_post_message'], profile_scopes: ['Chat.ReadWrite'] },
    ['M365_DELEGATED_ONLY_OPERATION:teams_post_message'],
  ],
])('the registration of %s is checked', (_name, facts, errors) => {
  expect(check(facts)).toEqual(errors)
})

test.each<AuthMode>(['oauth2_client_credentials', 'api_key', 'none'])('a person cannot sign in by %s', (auth_mode) => {
  expect(check({ ...MAIL, auth_mode })).toEqual(['M365_FORBIDDEN_AUTH_MODE'])
})

test('additional test 37: all errors are reported together, each scope once', () => {
  const facts = { ...MAIL, redirect_uri: undefined, auth_mode: 'api_key', profile_scopes: [] } as const
  const operation_families: M365OperationFamily[] = ['outlook_mail_search', 'outlook_get_thread', 'search']
  expect(check({ ...facts, operation_families })).toEqual([
    'M365_FORBIDDEN_AUTH_MODE',
    'M365_INTERACTIVE_REDIRECT_URI_REQUIRED',
    'M365_SCOPE_MISSING:Mail.Read',
    'M365_SCOPE_MISSING:User.Read',
    'M365_SCOPE_MISSING:Files.Read.All',
    'M365_SCOPE_MISSING:Sites.Read.All',
  ])
})

test('one of the scopes of channels and chats is enough to register teams_post_message', () => {
  const teams: RegistrationFacts = { ...MAIL, operation_families: ['teams_post_message'], profile_scopes: [] }
  expect(check(teams)).toEqual(['M365_SCOPE_MISSING:ChannelMessage.Send', 'M365_SCOPE_MISSING:Chat.ReadWrite'])
  for (const scope of ['ChannelMessage.Send', 'Chat.ReadWrite']) {
    expect(check({ ...teams, requested_scopes: [scope] })).toEqual([])
  }
})

test('scopes that the tenant approved replace the minimum', () => {
  const facts: RegistrationFacts = {
    ...MAIL,
    operation_families: ['onedrive_fetch_file'],
    profile_scopes: ['Files.Read'],
  }
  expect(check(facts)).toEqual(['M365_SCOPE_MISSING:Files.Read.All'])
  expect(check(facts, { onedrive_fetch_file: ['Files.Read'] })).toEqual([])
})

test('every operation has its row in the scope table', () => {
  expect(Families.options).toHaveLength(14)
  const rules = Families.options.map((family) => getScopeRule(family))
  expect(rules.filter(({ action_class }) => action_class === 'write').map((rule) => rule.operation_family)).toEqual([
    'outlook_draft_reply',
    'calendar_create_event',
    'calendar_update_event',
    'teams_post_message',
  ])
  expect(rules.filter((rule) => rule.delegated_only).map((rule) => rule.operation_family)).toEqual([
    'teams_post_message',
  ])
  expect(getScopeRule('search')).toEqual({
    operation_family: 'search',
    action_class: 'read',
    minimum_delegated_scopes: ['User.Read', 'Files.Read.All', 'Sites.Read.All'],
    optional_delegated_scopes: ['Mail.Read'],
    admin_consent_likely: true,
    delegated_only: false,
  })
})

test('names of scopes have no case, and may follow the address of the API', () => {
  expect(shortenScope('https://graph.microsoft.us/Mail.Read')).toBe('Mail.Read')
  expect(shortenScope('https://other.example/Mail.Read')).toBe('https://other.example/Mail.Read')
  expect(hasScope(['mail.READ'], 'Mail.Read')).toBe(true)
  expect(hasScope(['Mail.ReadWrite'], 'Mail.Read')).toBe(false)
})
