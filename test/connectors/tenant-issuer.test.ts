import { expect, test } from 'vitest'
import { acceptTenantIssuer } from '../../src/connectors/oauth/tenant-issuer.ts'

const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad'
const LOGIN = 'https://login.microsoftonline.com'
const TENANT_ISSUER = `${LOGIN}/${TENANT}/v2.0`

const reply = (claims: unknown): Response => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return Response.json({ access_token: 'a', id_token: `${part({ alg: 'RS256' })}.${part(claims)}.signature` })
}

const accept = async (issuer: string, answer: Response): Promise<string> =>
  (await acceptTenantIssuer({ issuer }, answer)).issuer

test.each(['common', 'organizations', 'consumers'])(
  'the address %s accepts the tenant that its token names',
  async (shared) => {
    const answer = reply({ iss: TENANT_ISSUER, tid: TENANT })
    expect(await accept(`${LOGIN}/${shared}/v2.0`, answer)).toBe(TENANT_ISSUER)
    // The answer can still be read.
    expect(await answer.json()).toMatchObject({ access_token: 'a' })
  },
)

test.each([
  ['an issuer of another tenant', { iss: `${LOGIN}/00000000-0000-4000-8000-000000000001/v2.0`, tid: TENANT }],
  ['an issuer of another server', { iss: `https://login.example/${TENANT}/v2.0`, tid: TENANT }],
  ['a tenant that is no id', { iss: `${LOGIN}/../v2.0`, tid: '..' }],
  ['no tenant', { iss: TENANT_ISSUER }],
  ['no object', 'text'],
])('a token with %s keeps the address, so that the check of the issuer refuses it', async (_what, claims) => {
  const shared = `${LOGIN}/common/v2.0`
  expect(await accept(shared, reply(claims))).toBe(shared)
})

test('an answer without a readable id token keeps the address', async () => {
  const shared = `${LOGIN}/common/v2.0`
  for (const body of ['{}', '{"id_token":"x"}', '{"id_token":"a.%%%.c"}', 'no JSON', '']) {
    expect(await accept(shared, new Response(body))).toBe(shared)
  }
})

test('the address of one tenant, or of another server, accepts no other issuer', async () => {
  for (const issuer of [`${LOGIN}/contoso/v2.0`, 'https://login.example', `${LOGIN}/common/v1.0`]) {
    expect(await accept(issuer, reply({ iss: TENANT_ISSUER, tid: TENANT }))).toBe(issuer)
  }
})
