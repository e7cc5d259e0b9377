const UNITS: ReadonlySet<string> = new Set(
  [
    'm cm mm km nm dm mi ft in yd kg g mg t lb lbs oz l ml cl dl gal',
    'h hr hrs min mins s sec secs ms d w wk wks y yr yrs std sek tage',
    'b kb mb gb tb kib mib gib kbit mbit gbit kbps mbps gbps bit px dp sp em pt',
    'hz khz mhz ghz w kw mw kwh wh v kv mv a ma mah kcal cal kj j bpm rpm fps db dbm lm lx pa hpa kpa bar mbar psi',
    'c f kn mph kmh kph ppm x pc pcs stk szt adet ks ud uds',
    'м см мм км кг г мг л мл ч мин с сек дн шт кб мб гб тб',
  ].flatMap((line) => line.split(' ')),
)

/** Whether letters glued to a number are a unit. `5K`, `5M` and `5B` are no fives, `3D` is no three. */
export function isUnit(written: string): boolean {
  return !/^[KMBD]$/.test(written) && UNITS.has(written.toLowerCase())
}

/** Words behind a number that make it another one: `5 million`, `5万`. */
export function isMultiplier(word: string): boolean {
  return /^[百千万萬亿億백천만억]/u.test(word) || MULTIPLIERS.has(word)
}

const MULTIPLIERS: ReadonlySet<string> = new Set(
  [
    'thousand million millions billion billions mio mrd tausend millionen million milliarde milliarden mln mld',
    'mille millionen milliers millones millón mil milhão milhões mila milioni miliardi duizend miljoen miljard',
    'tys tysięcy milion milionów miljon miljoner miljard miljarder tusen bin milyon milyar тыс тысяч млн млрд',
  ].flatMap((line) => line.split(' ')),
)
