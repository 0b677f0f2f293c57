"""Each unit that verification knows does its work. The units are listed again here, so that none is lost."""

import pytest

from footnote_resolver.verification.figures import figures
from footnote_resolver.verification.lexicon import UNIT_SYMBOLS, UNIT_WORDS, units_of
from footnote_resolver.verification.missing import missing

SAME_SIZE = {
    "1 percent": "% pct",
    "1 ‰": "‰",
    "1 euro": "€ EUR euro euros",
    "1 dollar": "$ US$ USD dollar dollars",
    "1 pound": "£ GBP pound pounds",
    "1 franc": "CHF franc francs",
    "1 yen": "¥ JPY yen",
    "1 rupee": "₹ INR rupee rupees",
    "1 cent": "cent cents",
    "0.001 s": "ms millisecond milliseconds",
    "1000 ms": "s sec secs second seconds",
    "60 s": "min mins minute minutes",
    "3600 s": "h hr hrs hour hours",
    "24 hours": "d day days",
    "7 days": "week weeks",
    "2629800 s": "month months",
    "12 months": "year years yr yrs",
    "10 years": "decade decades",
    "100 years": "century centuries",
    "0.001 µm": "nm nanometre nanometres nanometer nanometers",
    "1000 nm": "µm μm um micron microns micrometre micrometres micrometer micrometers",
    "1000 µm": "mm millimetre millimetres millimeter millimeters",
    "10 mm": "cm CM centimetre centimetres centimeter centimeters",
    "100 cm": "m metre metres meter meters",
    "1000 m": "km Km KM kilometre kilometres kilometer kilometers",
    "1609.344 m": "mile miles",
    "304.8 mm": "ft foot feet",
    "25.4 mm": "inch inches",
    "91.44 cm": "yd yard yards",
    "0.001 µg": "ng nanogram nanograms",
    "1000 ng": "µg μg ug mcg microgram micrograms",
    "1000 µg": "mg milligram milligrams",
    "1000 mg": "g gram grams gramme grammes",
    "1000 g": "kg Kg KG kilogram kilograms kilo kilos",
    "1000 kg": "t tonne tonnes ton tons",
    "453.59237 g": "lb lbs",
    "28.349523125 g": "oz ounce ounces",
    "0.001 ml": "µl μl ul µL μL uL microlitre microliter microlitres microliters",
    "1000 µl": "ml mL millilitre millilitres milliliter milliliters",
    "100 ml": "dl dL decilitre decilitres",
    "10 dl": "l L litre litres liter liters",
    "3.785411784 l": "gallon gallons",
    "1 °C": "°C °c celsius",
    "1 °F": "°F °f fahrenheit",
    "1 degree": "° degree degrees",
    "0.001 kB": "byte bytes",
    "1000 bytes": "kB KB kilobyte kilobytes",
    "1000 kB": "MB megabyte megabytes",
    "1000 MB": "GB gigabyte gigabytes",
    "1000 GB": "TB terabyte terabytes",
    "1024 bytes": "KiB kiB kibibyte kibibytes",
    "1024 KiB": "MiB mebibyte mebibytes",
    "1024 MiB": "GiB gibibyte gibibytes",
    "1024 GiB": "TiB tebibyte tebibytes",
    "0.001 kW": "W watt watts",
    "1000 W": "kW KW Kw kw kilowatt kilowatts",
    "1000 kW": "MW megawatt megawatts",
    "1000 MW": "GW gigawatt gigawatts",
    "0.001 kHz": "Hz hz HZ hertz",
    "1000 Hz": "kHz KHz khz KHZ kilohertz",
    "1000 kHz": "MHz Mhz MHZ megahertz",
    "1000 MHz": "GHz Ghz ghz GHZ gigahertz",
    "1000 ns": "µs μs us microsecond microseconds",
    "0.001 µs": "ns nanosecond nanoseconds",
    "1000 mm": "m",
    "1852 m": "nmi",
    "0.001 ng": "pg picogram picograms",
    "1000000 t": "Mt megatonne megatonnes megaton megatons",
    "10 ml": "cl cL centilitre centilitres",
    "0.001 nM": "pM picomolar",
    "1000 pM": "nM nanomolar",
    "1000 nM": "µM μM uM micromolar",
    "1000 µM": "mM millimolar",
    "1000 mM": "molar",
    "0.001 µmol": "nmol",
    "1000 nmol": "µmol μmol umol",
    "1000 µmol": "mmol millimole millimoles",
    "1000 mmol": "mol mole moles",
    "0.001 kelvin": "mK",
    "1000 mK": "K kelvin",
    "1000 TB": "PB petabyte petabytes",
    "0.001 kbit": "bit bits",
    "1000 bits": "kb Kb kbit Kbit kilobit kilobits",
    "1000 kbit": "Mb Mbit megabit megabits",
    "1000 Mbit": "Gb Gbit gigabit gigabits",
    "1000 Gbit": "Tb Tbit terabit terabits",
    "1024 bits": "Kibit kibibit kibibits",
    "1024 Kibit": "Mibit mebibit mebibits",
    "0.001 mW": "µW μW uW microwatt microwatts",
    "1000 µW": "mW milliwatt milliwatts",
    "1000 GW": "TW terawatt terawatts",
    "745.69987 W": "hp horsepower",
    "0.001 J": "mJ millijoule millijoules",
    "1000 mJ": "J joule joules",
    "1000 J": "kJ KJ kilojoule kilojoules",
    "1000 kJ": "MJ megajoule megajoules",
    "1000 MJ": "GJ gigajoule gigajoules",
    "4.184 J": "cal calorie calories",
    "1000 calories": "kcal kilocalorie kilocalories",
    "3.6 J": "mWh milliwatt-hour milliwatt-hours",
    "3600 J": "Wh watt-hour watt-hours",
    "3.6 MJ": "kWh KWh kwh KWH Kwh kilowatt-hour kilowatt-hours",
    "1000 kWh": "MWh megawatt-hour megawatt-hours",
    "1000 MWh": "GWh gigawatt-hour gigawatt-hours",
    "1000 GWh": "TWh terawatt-hour terawatt-hours",
    "0.001 keV": "eV electronvolt electronvolts",
    "1000 eV": "keV KeV",
    "1000 keV": "MeV",
    "1000 MeV": "GeV",
    "1000 GeV": "TeV",
    "0.001 mV": "µV μV uV microvolt microvolts",
    "1000 µV": "mV millivolt millivolts",
    "1000 mV": "V volt volts",
    "1000 V": "kV KV kilovolt kilovolts",
    "1000 kV": "MV megavolt megavolts",
    "0.001 mA": "µA μA uA microampere microamperes microamp microamps",
    "1000 µA": "mA milliampere milliamperes milliamp milliamps",
    "1000 mA": "ampere amperes amp amps",
    "1000 amperes": "kA kiloampere kiloamperes",
    "0.001 Ah": "mAh milliampere-hour milliampere-hours",
    "1000 mAh": "Ah ampere-hour ampere-hours amp-hour amp-hours",
    "0.001 Ω": "mΩ milliohm milliohms",
    "1000 mΩ": "Ω ohm ohms",
    "1000 Ω": "kΩ kiloohm kiloohms kilohm kilohms",
    "1000 kΩ": "MΩ megaohm megaohms megohm megohms",
    "0.01 hPa": "Pa pascal pascals",
    "0.001 Pa": "mPa millipascal millipascals",
    "100 Pa": "hPa mbar hectopascal hectopascals millibar millibars",
    "1000 Pa": "kPa KPa kilopascal kilopascals",
    "1000 kPa": "MPa megapascal megapascals",
    "1000 MPa": "GPa gigapascal gigapascals",
    "1000 hPa": "bar bars",
    "101.325 kPa": "atm atmosphere atmospheres",
    "6.894757 kPa": "psi",
    "133.322 Pa": "mmHg mmhg torr",
    "0.001 N": "mN millinewton millinewtons",
    "1000 mN": "N newton newtons",
    "1000 N": "kN KN kilonewton kilonewtons",
    "1000 kN": "MN meganewton meganewtons",
    "10000 square metres": "ha hectare hectares",
    "4046.8564224 m²": "acre acres",
    "1 dB": "dB db decibel decibels",
    "1 IU": "IU",
    "0.001 Hz": "mHz",
    "1000 GHz": "THz terahertz",
    "0.001 ppm": "ppb",
    "1000 m per hour": "kmh kph KPH",
    "0.44704 m/s": "mph MPH",
    "0.514444 m/s": "knot knots",
    "1 kbit/s": "kbps Kbps",
    "1 Mbit/s": "Mbps",
    "1 Gbit/s": "Gbps",
    "1 kB/s": "kBps KBps",
    "1 MB/s": "MBps",
    "1 GB/s": "GBps",
}
"""What one of each of these units is."""


@pytest.mark.parametrize(
    ("size", "unit"), [(size, unit) for size, units in SAME_SIZE.items() for unit in units.split()]
)
def test_a_unit_has_its_size(size: str, unit: str) -> None:
    one = f"{unit}1" if unit in ("€", "$", "US$", "£", "¥", "₹") else f"1 {unit}"
    assert not missing(figures(one), figures(size, to_find=True))
    assert missing(figures(one.replace("1", "7")), figures(size, to_find=True))


def test_every_unit_is_tried() -> None:
    tried = {unit for units in SAME_SIZE.values() for unit in units.split()}
    assert set(UNIT_SYMBOLS) - tried == set()
    assert set(UNIT_WORDS) - {unit.lower() for unit in tried} == {"percent", "pp", "ppm"}


def test_a_spelling_that_stands_twice_is_refused() -> None:
    assert units_of({"length": {"1e-9": "nm |"}, "concentration": {"1e-9": "nM |"}})
    with pytest.raises(ValueError, match="'nm' stands twice"):
        units_of({"length": {"1e-9": "nm |"}, "concentration": {"1e-9": "| NM"}})
    with pytest.raises(ValueError, match="'h' stands twice"):
        units_of({"time": {"3600": "h | hour", "60": "h |"}})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 nM", "15 nm"),
        ("5 mW", "5 MW"),
        ("10 MB", "10 Mb"),
        ("10 megabytes", "10 megabits"),
        ("5 kW", "5 kWh"),
        ("5 kilowatts", "5 kilowatt hours"),
        ("3 mV", "3 MV"),
        ("20 mPa", "20 MPa"),
        ("30 litres per minute", "30 litres per hour"),
        ("100 km/h", "100 m/s"),
        ("10 m²", "10 m³"),
        ("5 metres", "5 square metres"),
        ("5 K", "5 °C"),
        ("50 mA", "50 mAh"),
    ],
)
def test_units_that_look_alike_are_two(one: str, other: str) -> None:
    for wanted, given in ((one, other), (other, one)):
        assert [lack.replaced for lack in missing(figures(wanted), figures(given, to_find=True))] == [True]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 kilowatt hours", "3 kWh"),
        ("3 kilowatt-hours", "10.8 MJ"),
        ("30 litres per minute", "0.5 l/s"),
        ("100 km/h", "100 kilometres an hour"),
        ("100 km/h", "100 kmh"),
        ("10 Mbit/s", "10 Mbps"),
        ("10 MB per second", "10 MB/s"),
        ("2 square kilometres", "200 hectares"),
        ("2 km²", "2 square kilometers"),
        ("3 cubic metres", "3000 litres"),
        ("5 cubic centimetres", "5 ml"),
        ("three days a week", "3 days per week"),
        ("30 litres", "30 litres per minute"),
    ],
)
def test_a_unit_may_be_put_together(one: str, other: str) -> None:
    for wanted, given in ((one, other), (other, one)):
        assert not missing(figures(wanted), figures(given, to_find=True))


def test_full_width_digits_are_written_as_all_others_and_part_at_what_is_no_digit() -> None:
    assert [one.written for one in figures("９０ cats and １２ dogs").numbers] == ["90", "12"]
    assert [one.written for one in figures("Ratios of ７／８ and ９：５").numbers] == ["7", "8", "9", "5"]
