import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSecretKey, findSecretPaths, redactSecrets } from '../../src/knowledge/redaction/secret-keys.ts'

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
])('the key %s is a secret', (key) => {
  expect(isSecretKey(key)).toBe(true)
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
])('the key "%s" is not a secret', (key) => {
  expect(isSecretKey(key)).toBe(false)
})

const secretName = fc.constantFrom('password', 'api_key', 'accessToken', 'client-secret')

test('secrets at any depth are found and redacted', () => {
  fc.assert(
    fc.property(fc.jsonValue(), secretName, fc.array(fc.constantFrom('list', 'object')), (plain, name, wraps) => {
      let value: unknown = { [name]: 'the-secret-itself' }
      for (const wrap of wraps) value = wrap === 'list' ? [plain, value] : { deep: value }

      expect(findSecretPaths(value, 'payload').length).toBeGreaterThan(0)
      const redacted = redactSecrets(value)
      expect(JSON.stringify(redacted)).not.toContain('the-secret-itself')
      expect(redactSecrets(redacted)).toEqual(redacted)
    }),
  )
})

test('a value without secrets is unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(findSecretPaths(value, 'payload').length === 0)
      expect(redactSecrets(value)).toEqual(value)
    }),
  )
})
