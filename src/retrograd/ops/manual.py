"""What help() says of functions that are declared, not written: a sentence and an example each.

The rest of their docstrings is read off the declaration, in `describe.py`. Functions whose sentence
begins with "Whether" give bools; a sentence with an arrow says itself which shape comes out.
DLMF is the Digital Library of Mathematical Functions, https://dlmf.nist.gov. The functions of
torch.special are in manual_special.py.
"""

from __future__ import annotations

from .manual_special import SPECIAL

MANUAL = {
    "mul": """`input * other`.
Derivatives: other by input, input by other (conjugated, for complex numbers).
>>> torch.mul(torch.tensor([1., 2.]), 3)
tensor([3., 6.])
""",
    "floor_divide": """floor(input / other): the quotient rounded down. Not differentiable.
Raises RuntimeError for an integer divided by zero.
>>> torch.floor_divide(torch.tensor([7, -7]), 2)
tensor([ 3, -4])
""",
    "reciprocal": """`1 / input`.
Derivative: -1 / input**2.
>>> torch.reciprocal(torch.tensor([2., 4.]))
tensor([0.5000, 0.2500])
""",
    "exp": """e to the power of each element, e**input.
Derivative: exp(input).
>>> torch.exp(torch.tensor([0., 1.]))
tensor([1.0000, 2.7183])
""",
    "exp2": """2 to the power of each element, 2**input.
Derivative: 2**input * log(2).
>>> torch.exp2(torch.tensor([0., 3.]))
tensor([1., 8.])
""",
    "expm1": """exp(input) - 1, accurate for small elements too.
Derivative: exp(input).
>>> torch.expm1(torch.tensor([0., 1e-6]))
tensor([0.0000e+00, 1.0000e-06])
""",
    "log": """The natural logarithm: -inf at 0, nan below.
Derivative: 1 / input.
>>> torch.log(torch.tensor([1., 10.]))
tensor([0.0000, 2.3026])
""",
    "log2": """The logarithm to base 2: -inf at 0, nan below.
Derivative: 1 / (input * log(2)).
>>> torch.log2(torch.tensor([1., 8.]))
tensor([0., 3.])
""",
    "log10": """The logarithm to base 10: -inf at 0, nan below.
Derivative: 1 / (input * log(10)).
>>> torch.log10(torch.tensor([1., 50.]))
tensor([0.0000, 1.6990])
""",
    "log1p": """log(1 + input), accurate for small elements too.
Derivative: 1 / (1 + input).
>>> torch.log1p(torch.tensor([0., 1e-6]))
tensor([0.0000e+00, 1.0000e-06])
""",
    "square": """`input * input`; bools become int64. Its node is that of pow.
Derivative: 2 * input.
>>> torch.square(torch.tensor([3., -2.]))
tensor([9., 4.])
""",
    "sqrt": """The square root; nan below 0.
Derivative: 1 / (2 * sqrt(input)), which is infinite at 0.
>>> torch.sqrt(torch.tensor([4., 2.]))
tensor([2.0000, 1.4142])
""",
    "rsqrt": """`1 / sqrt(input)`: inf at 0, nan below.
Derivative: -rsqrt(input)**3 / 2.
>>> torch.rsqrt(torch.tensor([4., 0.25]))
tensor([0.5000, 2.0000])
""",
    "sin": """The sine of angles in radians.
Derivative: cos(input).
>>> torch.sin(torch.tensor([0., 1.]))
tensor([0.0000, 0.8415])
""",
    "cos": """The cosine of angles in radians.
Derivative: -sin(input).
>>> torch.cos(torch.tensor([0., 1.]))
tensor([1.0000, 0.5403])
""",
    "tan": """The tangent of angles in radians.
Derivative: 1 + tan(input)**2.
>>> torch.tan(torch.tensor([0., 1.]))
tensor([0.0000, 1.5574])
""",
    "asin": """The angle whose sine is `input`, within +-pi/2; nan outside [-1, 1].
Derivative: 1 / sqrt(1 - input**2).
>>> torch.asin(torch.tensor([0., 1.]))
tensor([0.0000, 1.5708])
""",
    "acos": """The angle whose cosine is `input`, in [0, pi]; nan outside [-1, 1].
Derivative: -1 / sqrt(1 - input**2).
>>> torch.acos(torch.tensor([1., 0.]))
tensor([0.0000, 1.5708])
""",
    "atan": """The angle whose tangent is `input`, within +-pi/2.
Derivative: 1 / (1 + input**2).
>>> torch.atan(torch.tensor([0., 1.]))
tensor([0.0000, 0.7854])
""",
    "sinh": """The hyperbolic sine, (e**x - e**-x) / 2.
Derivative: cosh(input).
>>> torch.sinh(torch.tensor([0., 1.]))
tensor([0.0000, 1.1752])
""",
    "cosh": """The hyperbolic cosine, (e**x + e**-x) / 2.
Derivative: sinh(input).
>>> torch.cosh(torch.tensor([0., 1.]))
tensor([1.0000, 1.5431])
""",
    "asinh": """The inverse of sinh, log(x + sqrt(x**2 + 1)).
Derivative: 1 / sqrt(input**2 + 1).
>>> torch.asinh(torch.tensor([0., 1.]))
tensor([0.0000, 0.8814])
""",
    "acosh": """The inverse of cosh that is not negative, log(x + sqrt(x**2 - 1)); nan below 1.
Derivative: 1 / sqrt(input**2 - 1).
>>> torch.acosh(torch.tensor([1., 2.]))
tensor([0.0000, 1.3170])
""",
    "atanh": """The inverse of tanh, log((1 + x) / (1 - x)) / 2; nan outside [-1, 1].
Derivative: 1 / (1 - input**2).
>>> torch.atanh(torch.tensor([0., 0.5]))
tensor([0.0000, 0.5493])
""",
    "atan2": """The angle of the point (other, input), within +-pi: arctan(input / other), in the
quadrant of that point.
Derivatives: other / r by input and -input / r by other, where r = input**2 + other**2.
>>> torch.atan2(torch.tensor([1., -1.]), torch.tensor([-1., -1.]))
tensor([ 2.3562, -2.3562])
""",
    "sigmoid": """1 / (1 + e**-x), which maps all numbers into (0, 1).
Derivative: s * (1 - s), where s = sigmoid(input).
>>> torch.sigmoid(torch.tensor([0., 2.]))
tensor([0.5000, 0.8808])
""",
    "tanh": """The hyperbolic tangent, sinh(x) / cosh(x), which maps all numbers into (-1, 1).
Derivative: 1 - tanh(input)**2.
>>> torch.tanh(torch.tensor([0., 1.]))
tensor([0.0000, 0.7616])
""",
    "relu": """max(input, 0).
Derivative: 1 above 0, and 0 elsewhere, at 0 too.
>>> torch.relu(torch.tensor([-1., 2.]))
tensor([0., 2.])
""",
    "abs": """The absolute value; the modulus of complex numbers, which is real.
Derivative: sgn(input), which is 0 at 0.
>>> torch.abs(torch.tensor([-1., 2.]))
tensor([1., 2.])
""",
    "sign": """-1, 0 or 1.
Derivative: 0.
>>> torch.sign(torch.tensor([-3., 0., 2.]))
tensor([-1.,  0.,  1.])
""",
    "sgn": """input / |input|, and 0 for 0: the sign of real numbers, the direction of complex ones.
Derivative: 0 for real numbers.
>>> torch.sgn(torch.tensor([3 + 4j, 0j]))
tensor([0.6000+0.8000j, 0.0000+0.0000j])
""",
    "neg": """`-input`.
Derivative: -1.
>>> torch.neg(torch.tensor([1., -2.]))
tensor([-1.,  2.])
""",
    "floor": """The greatest integer that is not above `input`.
Derivative: 0.
>>> torch.floor(torch.tensor([1.5, -1.5]))
tensor([ 1., -2.])
""",
    "ceil": """The least integer that is not below `input`.
Derivative: 0.
>>> torch.ceil(torch.tensor([1.5, -1.5]))
tensor([ 2., -1.])
""",
    "trunc": """The integer part: `input` rounded towards 0.
Derivative: 0.
>>> torch.trunc(torch.tensor([1.5, -1.5]))
tensor([ 1., -1.])
""",
    "frac": """The fractional part, input - trunc(input), which has the sign of `input`.
Derivative: 1.
>>> torch.frac(torch.tensor([1.5, -1.5]))
tensor([ 0.5000, -0.5000])
""",
    "deg2rad": """Degrees as radians: input * pi / 180.
Derivative: pi / 180.
>>> torch.deg2rad(torch.tensor([90., 180.]))
tensor([1.5708, 3.1416])
""",
    "rad2deg": """Radians as degrees: input * 180 / pi.
Derivative: 180 / pi.
>>> torch.rad2deg(torch.tensor([0., 3.1415927]))
tensor([  0., 180.])
""",
    "nan_to_num": """`input` with `nan` in place of nans (0 if None), `posinf` and `neginf` in
place of infinities (the largest and the smallest number of the dtype if None).
Derivative: 1, but 0 for the numbers that were replaced.
>>> torch.nan_to_num(torch.tensor([1., float("nan")]))
tensor([1., 0.])
""",
    "sinc": """sin(pi x) / (pi x), and 1 at 0.
Derivative: (cos(pi x) - sinc(x)) / x, and 0 at 0.
>>> torch.sinc(torch.tensor([0., 0.5]))
tensor([1.0000, 0.6366])
""",
    "signbit": """Whether the sign bit is set: that is so for numbers below 0, and for -0.0.
>>> torch.signbit(torch.tensor([-0.0, 1.]))
tensor([ True, False])
""",
    "isnan": """Whether each element is not a number.
>>> torch.isnan(torch.tensor([1., float("nan")]))
tensor([False,  True])
""",
    "isfinite": """Whether each element is neither infinite nor nan.
>>> torch.isfinite(torch.tensor([1., float("inf")]))
tensor([ True, False])
""",
    "isinf": """Whether each element is infinite, of either sign.
>>> torch.isinf(torch.tensor([1., float("-inf")]))
tensor([False,  True])
""",
    "isposinf": """Whether each element is +infinity.
>>> torch.isposinf(torch.tensor([float("-inf"), float("inf")]))
tensor([False,  True])
""",
    "isneginf": """Whether each element is -infinity.
>>> torch.isneginf(torch.tensor([float("-inf"), float("inf")]))
tensor([ True, False])
""",
    "isreal": """Whether each element has no imaginary part; always so for real dtypes.
>>> torch.isreal(torch.tensor([1 + 0j, 1j]))
tensor([ True, False])
""",
    "maximum": """The larger of two elements; nan if either is.
The gradient goes to the larger one; at a tie each gets half of it.
>>> torch.maximum(torch.tensor([1., 5.]), torch.tensor([3., 4.]))
tensor([3., 5.])
""",
    "minimum": """The smaller of two elements; nan if either is.
The gradient goes to the smaller one; at a tie each gets half of it.
>>> torch.minimum(torch.tensor([1., 5.]), torch.tensor([3., 4.]))
tensor([1., 4.])
""",
    "fmax": """The larger of two elements, or the other one where one is nan.
The gradient goes to the one taken; at a tie to `input`.
>>> torch.fmax(torch.tensor([1., float("nan")]), torch.tensor([3., 4.]))
tensor([3., 4.])
""",
    "fmin": """The smaller of two elements, or the other one where one is nan.
The gradient goes to the one taken; at a tie to `input`.
>>> torch.fmin(torch.tensor([1., float("nan")]), torch.tensor([3., 4.]))
tensor([1., 4.])
""",
    "eq": """Whether `input == other`, element by element; `equal` compares whole tensors.
>>> torch.eq(torch.tensor([1, 2]), 2)
tensor([False,  True])
""",
    "ne": """Whether `input != other`, element by element.
>>> torch.ne(torch.tensor([1, 2]), 2)
tensor([ True, False])
""",
    "lt": """Whether `input < other`, element by element.
>>> torch.lt(torch.tensor([1, 2]), 2)
tensor([ True, False])
""",
    "le": """Whether `input <= other`, element by element.
>>> torch.le(torch.tensor([1, 2]), 2)
tensor([True, True])
""",
    "gt": """Whether `input > other`, element by element.
>>> torch.gt(torch.tensor([1, 2]), 1)
tensor([False,  True])
""",
    "ge": """Whether `input >= other`, element by element.
>>> torch.ge(torch.tensor([1, 2]), 2)
tensor([False,  True])
""",
    "logical_and": """Whether both elements are true, that is, not 0.
>>> torch.logical_and(torch.tensor([0, 2]), torch.tensor([1, 1]))
tensor([False,  True])
""",
    "logical_or": """Whether at least one of two elements is true, that is, not 0.
>>> torch.logical_or(torch.tensor([0, 2]), torch.tensor([0, 1]))
tensor([False,  True])
""",
    "logical_xor": """Whether exactly one of two elements is true, that is, not 0.
>>> torch.logical_xor(torch.tensor([0, 2]), torch.tensor([1, 1]))
tensor([ True, False])
""",
    "logical_not": """Whether each element is false, that is, 0.
>>> torch.logical_not(torch.tensor([0, 2]))
tensor([ True, False])
""",
    "hypot": """sqrt(input**2 + other**2), computed without overflow.
Derivatives: input / result and other / result.
>>> torch.hypot(torch.tensor([3.]), torch.tensor([4.]))
tensor([5.])
""",
    "logaddexp": """log(e**input + e**other), computed without overflow.
Derivatives: e**(input - result) and e**(other - result).
>>> torch.logaddexp(torch.tensor([100.]), torch.tensor([100.]))
tensor([100.6931])
""",
    "logaddexp2": """log2(2**input + 2**other), computed without overflow.
Derivatives: 2**(input - result) and 2**(other - result).
>>> torch.logaddexp2(torch.tensor([100.]), torch.tensor([100.]))
tensor([101.])
""",
    "ldexp": """`input * 2**other`.
Derivatives: 2**other by input, input * 2**other * log(2) by other.
>>> torch.ldexp(torch.tensor([1., 3.]), torch.tensor([2, 0]))
tensor([4., 3.])
""",
    "heaviside": """The step function: 0 where `input` is below 0, 1 above, and `values` at 0.
Not differentiable.
>>> torch.heaviside(torch.tensor([-1., 0., 2.]), torch.tensor(0.5))
tensor([0.0000, 0.5000, 1.0000])
""",
    "nextafter": """The next floating-point number after `input` in the direction of `other`.
>>> torch.nextafter(torch.tensor([0.]), torch.tensor([1.]))
tensor([1.4013e-45])
""",
    "gcd": """The greatest common divisor of integers, not negative.
>>> torch.gcd(torch.tensor([12, 7]), torch.tensor([18, 21]))
tensor([6, 7])
""",
    "lcm": """The least common multiple of integers, not negative.
>>> torch.lcm(torch.tensor([4, 7]), torch.tensor([6, 2]))
tensor([12, 14])
""",
    "bitwise_and": """`input & other`, bit by bit.
>>> torch.bitwise_and(torch.tensor([6, 5]), 3)
tensor([2, 1])
""",
    "bitwise_or": """`input | other`, bit by bit.
>>> torch.bitwise_or(torch.tensor([6, 5]), 3)
tensor([7, 7])
""",
    "bitwise_xor": """`input ^ other`, the exclusive or, bit by bit.
>>> torch.bitwise_xor(torch.tensor([6, 5]), 3)
tensor([5, 6])
""",
    "bitwise_left_shift": """`input << other`: input * 2**other.
>>> torch.bitwise_left_shift(torch.tensor([1, 3]), 2)
tensor([ 4, 12])
""",
    "bitwise_right_shift": """`input >> other`: input / 2**other, rounded down.
>>> torch.bitwise_right_shift(torch.tensor([8, -3]), 1)
tensor([ 4, -2])
""",
    "bitwise_not": """`~input`: all bits inverted, True and False exchanged.
>>> torch.bitwise_not(torch.tensor([0, 5]))
tensor([-1, -6])
""",
    "view_as_real": """Complex numbers as pairs of real ones in a new last dimension: (*) -> (*, 2).
>>> torch.view_as_real(torch.tensor([1 + 2j]))
tensor([[1., 2.]])
""",
    "angle": """The argument of complex numbers in radians, within +-pi; for real numbers 0, or
pi below 0.
>>> torch.angle(torch.tensor([1j, -1 + 0j]))
tensor([1.5708, 3.1416])
""",
    "tril": """The lower triangle of matrices, on and below the given diagonal (0 is the main one,
positive ones lie above); 0 elsewhere: (*, n, m) -> (*, n, m).
>>> torch.tril(torch.ones(2, 2))
tensor([[1., 0.],
        [1., 1.]])
""",
    "triu": """The upper triangle of matrices, on and above the given diagonal (0 is the main one,
positive ones lie above); 0 elsewhere: (*, n, m) -> (*, n, m).
>>> torch.triu(torch.ones(2, 2))
tensor([[1., 1.],
        [0., 1.]])
""",
    "erf": """The error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to input
(DLMF 7.2.1).
Derivative: 2 / sqrt(pi) * exp(-input**2).
>>> torch.erf(torch.tensor([0., 1.]))
tensor([0.0000, 0.8427])
""",
    "erfc": """1 - erf(input), accurate for large elements too.
Derivative: -2 / sqrt(pi) * exp(-input**2).
>>> torch.erfc(torch.tensor([0., 3.]))
tensor([1.0000e+00, 2.2090e-05])
""",
    "erfinv": """The inverse of erf; infinite at -1 and 1, nan beyond.
Derivative: sqrt(pi) / 2 * exp(erfinv(input)**2).
>>> torch.erfinv(torch.tensor([0., 0.5]))
tensor([0.0000, 0.4769])
""",
    "lgamma": """log |Gamma(input)|, where Gamma(n + 1) = n! for integers n (DLMF 5.2.1).
Derivative: digamma(input).
>>> torch.lgamma(torch.tensor([1., 5.]))
tensor([0.0000, 3.1781])
""",
    "digamma": """The derivative of lgamma, Gamma'(input) / Gamma(input) (DLMF 5.2.2).
Derivative: polygamma(1, input).
>>> torch.digamma(torch.tensor([1., 2.]))
tensor([-0.5772,  0.4228])
""",
    "igamma": """The regularised lower incomplete gamma function P(input, other) (DLMF 8.2.4):
the integral of t**(input - 1) * e**-t from 0 to other, divided by Gamma(input).
Differentiable in `other` only: other**(input - 1) * e**-other / Gamma(input).
>>> torch.igamma(torch.tensor([1.]), torch.tensor([2.]))
tensor([0.8647])
""",
    "igammac": """The regularised upper incomplete gamma function Q = 1 - igamma(input, other)
(DLMF 8.2.4). Differentiable in `other` only.
>>> torch.igammac(torch.tensor([1.]), torch.tensor([2.]))
tensor([0.1353])
""",
    "xlogy": """`input * log(other)`, and 0 where input is 0, unless other is nan.
Derivatives: log(other) by input, input / other by other.
>>> torch.xlogy(torch.tensor([0., 2.]), torch.tensor([0., 3.]))
tensor([0.0000, 2.1972])
""",
    "logit": """log(x / (1 - x)), the inverse of sigmoid; with `eps`, x is first clamped to
[eps, 1 - eps].
Derivative: 1 / (x * (1 - x)), and 0 where x was clamped.
>>> torch.logit(torch.tensor([0.5, 0.9]))
tensor([0.0000, 2.1972])
""",
    "i0": """The modified Bessel function of the first kind of order 0 (DLMF 10.25.2).
Derivative: i1(input).
>>> torch.i0(torch.tensor([0., 1.]))
tensor([1.0000, 1.2661])
""",
    "trace": """The sum of a matrix's diagonal: (n, m) -> (). Raises RuntimeError for any other
number of dimensions.
>>> torch.trace(torch.ones(3, 3))
tensor(3.)
""",
    "celu": """max(0, x) + min(0, alpha (e**(x / alpha) - 1)) (Barron 2017).
Derivative: 1 above 0, e**(x / alpha) below.
>>> torch.celu(torch.tensor([-1., 2.]))
tensor([-0.6321,  2.0000])
""",
    "hardshrink": """`input` where its absolute value is above `lambd`, else 0.
Derivative: 1 where the element is kept, else 0.
>>> torch.hardshrink(torch.tensor([-1., 0.3, 2.]))
tensor([-1.,  0.,  2.])
""",
    "threshold": """`input` where it is above `threshold`, else `value`.
Derivative: 1 where the element is kept, else 0.
>>> torch.threshold(torch.tensor([-1., 2.]), 0, 20)
tensor([20.,  2.])
""",
} | SPECIAL
