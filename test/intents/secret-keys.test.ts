import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  looksSecret,
  secretPaths,
  withoutSecrets,
} from '../../src/knowledge/redaction/secret-keys.ts'

test.each([
  'password',
  'Password',
  'db_password',
  'userPassword',
  'passwd',
  'token',
  'access_token',
  'accessToken',
  'accesstoken',
  'refresh-tokens',
  'secret',
  'clientSecret',
  'CLIENT_SECRET',
  'api_key',
  'apiKey',
  'APIKey',
  'apikey',
  'X-Api-Key',
  'OPENAI_API_KEY',
  'private_key',
  'aws.access.key',
  'credentials',
  'Authorization',
  'bearer',
  'ｐａｓｓｗｏｒｄ',
])('the key %s looks like a secret', (key) => {
  expect(looksSecret(key)).toBe(true)
})

test.each([
  'border',
  'key',
  'primary_key',
  'keyboard',
  'hotkey',
  'monkey',
  'max_tokens',
  'tokenCount',
  'tokenizer',
  'secretary',
  'passenger',
  'author',
  '',
])('the key "%s" does not', (key) => {
  expect(looksSecret(key)).toBe(false)
})

const secretName = fc.constantFrom('password', 'api_key', 'accessToken', 'client-secret')

test('a secret is found and left out wherever it is hidden', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      secretName,
      fc.array(fc.constantFrom('list', 'object')),
      (plain, name, wraps) => {
        let value: unknown = { [name]: 'the-secret-itself' }
        for (const wrap of wraps) value = wrap === 'list' ? [plain, value] : { deep: value }

        expect(secretPaths(value, 'payload').length).toBeGreaterThan(0)
        const left = withoutSecrets(value)
        expect(JSON.stringify(left)).not.toContain('the-secret-itself')
        expect(withoutSecrets(left)).toEqual(left)
      },
    ),
  )
})

test('a value without secrets is left as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(secretPaths(value, 'payload').length === 0)
      expect(withoutSecrets(value)).toEqual(value)
    }),
  )
})
