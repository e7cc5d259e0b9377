/** Codes by the sign or abbreviation that stands beside an amount. */
const CODES_BY_SIGN: ReadonlyMap<string, readonly string[]> = new Map([
  ['€', ['eur']],
  ['$', ['usd', 'cad', 'aud', 'nzd', 'mxn', 'sgd', 'hkd', 'ars', 'clp', 'cop']],
  ['us$', ['usd']],
  ['ca$', ['cad']],
  ['a$', ['aud']],
  ['nz$', ['nzd']],
  ['hk$', ['hkd']],
  ['nt$', ['twd']],
  ['s$', ['sgd']],
  ['mx$', ['mxn']],
  ['r$', ['brl']],
  ['jp¥', ['jpy']],
  ['cn¥', ['cny']],
  ['£', ['gbp']],
  ['¥', ['jpy', 'cny']],
  ['₹', ['inr']],
  ['₽', ['rub']],
  ['₩', ['krw']],
  ['₺', ['try']],
  ['₴', ['uah']],
  ['₪', ['ils']],
  ['₫', ['vnd']],
  ['฿', ['thb']],
  ['₱', ['php']],
  ['₦', ['ngn']],
  ['zł', ['pln']],
  ['kr', ['sek', 'nok', 'dkk', 'isk']],
  ['kč', ['czk']],
  ['ft', ['huf']],
  ['lei', ['ron']],
  ['лв', ['bgn']],
  ['руб', ['rub']],
  ['tl', ['try']],
  ['rs', ['inr', 'pkr', 'lkr']],
  ['fr', ['chf']],
  ['元', ['cny']],
  ['円', ['jpy']],
  ['원', ['krw']],
  ['euro', ['eur']],
  ['euros', ['eur']],
  ['dollar', ['usd']],
  ['dollars', ['usd']],
])

const ISO_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))

/** The currencies that a sign, a code or an abbreviation may mean. Codes count only in capitals, if `written` is given. */
export function readCurrency(text: string, written = text.toUpperCase()): readonly string[] | undefined {
  const codes = CODES_BY_SIGN.get(text)
  if (codes !== undefined) return codes
  if (ISO_CODES.has(text) && written === written.toUpperCase()) return [text]
  return /^\p{Sc}$/u.test(text) ? [] : undefined
}

/** Whether two ways to write a currency may mean the same one. */
export function isSameCurrency(one: string, other: string): boolean {
  const [a, b] = [readCurrency(one.toLowerCase()), readCurrency(other.toLowerCase())]
  return a !== undefined && b !== undefined && a.some((code) => b.includes(code))
}
